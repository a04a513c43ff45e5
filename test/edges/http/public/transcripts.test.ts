import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cookieIn, startAccountEdge, wideSettings } from '#test/support/account-edge.ts';
import { errorOf, videoId } from '#test/support/http.ts';

const path = `/api/public/transcripts/${videoId}`;

describe('a visitor without an account', () => {
  it('reads under an account of the day and gets a cookie that identifies the visitor', async () => {
    await using edge = await startAccountEdge();
    const answer = await edge.send('GET', path);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('X-Credits-Charged'), '1');
    assert.match(
      answer.headers.getSetCookie()[0] ?? '',
      /^visitor=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const again = await edge.send('GET', path, { headers: { Cookie: cookieIn(answer) } });
    assert.deepEqual(again.headers.getSetCookie(), []);
    const languages = await edge.send('GET', `${path}/languages`);
    assert.equal(languages.status, 200);
    const ids = edge.calls.map(({ call }) => call.accountId);
    for (const id of ids) assert.match(id, /^vis_20261121_[0-9a-f]{32}$/);
    assert.equal(edge.calls[0]?.call.actor.type, 'visitor');
  });

  it('gets 402 when the allowance of the client address is used up', async () => {
    const settings = { ...wideSettings, visitorCreditsPerDay: 2 };
    await using edge = await startAccountEdge({ settings });
    for (const _ of [1, 2]) assert.equal((await edge.send('GET', path)).status, 200);
    const third = await edge.send('GET', path);
    assert.equal(third.status, 402);
    assert.equal(third.headers.get('X-Credits-Charged'), null);
    const { code, details } = await errorOf(third);
    assert.equal(code, 'INSUFFICIENT_CREDITS');
    assert.deepEqual(details, { required: 1, remaining: 0 });
  });

  it('may ask thirty times a minute', async () => {
    await using edge = await startAccountEdge({
      http: { limitsPerMinute: { ip: 60, public: 60, session: 300, visitor: 30 } },
    });
    const statuses: number[] = [];
    for (let n = 0; n < 31; n += 1) statuses.push((await edge.send('GET', path)).status);
    assert.deepEqual(statuses.slice(-2), [200, 429]);
  });

  it('is on our own pages: other sites are refused, and /v1 requires a key', async () => {
    await using edge = await startAccountEdge();
    const evil = await edge.send('GET', path, { headers: { 'Sec-Fetch-Site': 'cross-site' } });
    assert.equal(evil.status, 403);
    const { Cookie } = { Cookie: cookieIn(await edge.send('GET', path)) };
    const v1 = await edge.send('GET', `/v1/transcripts/${videoId}`, { headers: { Cookie } });
    assert.equal(v1.status, 401);
  });
});

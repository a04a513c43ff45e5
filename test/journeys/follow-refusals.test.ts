import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemCall } from '#src/app/open-core.ts';
import { channels, lists } from '#test/simulator/collections.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { follower } from '#test/support/follows.ts';

type Refused = { error: { code: string; message: string; details: Record<string, unknown> | null } };

let app: TestApp;
before(async () => {
  app = await startTestApp({ environment: { ROLE: 'api', LISTINGS_PER_MINUTE: '1000' } });
});
after(() => app[Symbol.asyncDispose]());

describe('a follow is refused', () => {
  const bad: readonly [about: string, body: object, status: number, code: string, field?: string][] = [
    ['of a video', { source: samples.prose }, 400, 'INVALID_REQUEST', 'source'],
    [
      'of a link to a video',
      { source: `https://www.youtube.com/watch?v=${samples.prose}` },
      400,
      'INVALID_REQUEST',
      'source',
    ],
    ['of nothing that is known', { source: 'constructor' }, 400, 'INVALID_REQUEST', 'source'],
    ['of control characters', { source: '@market\u0000days' }, 400, 'INVALID_REQUEST', 'source'],
    ['of a private playlist', { source: lists.private }, 404, 'PLAYLIST_NOT_FOUND'],
    ['of a channel that does not exist', { source: '@nobody-at-all' }, 404, 'CHANNEL_NOT_FOUND'],
    ['of a terminated channel', { source: channels.terminated }, 404, 'CHANNEL_NOT_FOUND'],
    ['of a huge playlist', { source: lists.huge }, 400, 'INVALID_REQUEST', 'source'],
    ['without a budget', { max_credits_per_period: undefined }, 400, 'INVALID_REQUEST', 'max_credits_per_period'],
    ['with a budget of 0', { max_credits_per_period: 0 }, 400, 'INVALID_REQUEST', 'max_credits_per_period'],
    ['with half a credit', { max_credits_per_period: 1.5 }, 400, 'INVALID_REQUEST', 'max_credits_per_period'],
    ['with an interval of a second', { interval_seconds: 1 }, 400, 'INVALID_REQUEST', 'interval_seconds'],
    ['with a backfill of 51', { backfill: 51 }, 400, 'INVALID_REQUEST', 'backfill'],
    ['with an unknown kind', { kinds: ['__proto__'] }, 400, 'INVALID_REQUEST', 'kinds.0'],
    [
      'with a receiver that is not public',
      { webhook_url: 'http://127.0.0.1:9/' },
      400,
      'INVALID_REQUEST',
      'webhook_url',
    ],
  ];
  for (const [about, body, status, code, field] of bad) {
    it(about, async () => {
      const { key } = await app.createAccount();
      const answer = await app.post(
        '/v1/follows',
        { source: '@marketdays', max_credits_per_period: 5, ...body },
        { key },
      );
      const { error } = (await answer.json()) as Refused;
      assert.deepEqual([answer.status, error.code], [status, code], error.message);
      const fields = error.details?.['fields'] as readonly { path: string }[] | undefined;
      if (field !== undefined) assert.match(fields?.[0]?.path ?? '', new RegExp(field));
    });
  }

  it('the second time, by whatever name, and names the first; once under an Idempotency-Key', async () => {
    const { key } = await app.createAccount();
    const body = { source: '@marketdays', max_credits_per_period: 5 };
    const headers = { 'Idempotency-Key': 'follow-1' };
    const send = (source: string, more: object = {}) => app.post('/v1/follows', { ...body, source }, { key, ...more });
    const all = await Promise.all([1, 2, 3].map(() => send('@marketdays', { headers })));
    const made = await Promise.all(all.map(async (one) => ((await one.json()) as { id?: string }).id));
    const [id] = made.filter((one) => one !== undefined);
    assert.ok(made.every((one) => one === undefined || one === id));
    for (const name of ['@marketdays', channels.market, `https://www.youtube.com/channel/${channels.market}`]) {
      const answer = await send(name);
      const { error } = (await answer.json()) as Refused;
      assert.deepEqual([answer.status, error.code, error.details], [409, 'FOLLOW_EXISTS', { follow_id: id }]);
    }
  });

  it('above the limit of the plan, even when forty ask at once', async () => {
    const { key } = await app.createAccount({ plan: 'free' });
    const sources = Object.values(lists).filter(
      (list) => ![lists.huge, lists.private, lists.overThousand].includes(list as never),
    );
    const answers = await Promise.all(
      [...sources, ...Object.values(channels)].map((source) =>
        app.post('/v1/follows', { source, max_credits_per_period: 5 }, { key }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 5);
    const { follows } = (await (await app.get('/v1/follows', { key })).json()) as { follows: unknown[] };
    assert.equal(follows.length, 5);
  });

  // S9: keys and webhooks of another account
  it('like one that never existed, if it belongs to another account', async () => {
    const mine = follower(app, await app.createAccount());
    const theirs = follower(app, await app.createAccount());
    const { id, feed_url } = await theirs.follow('@marketdays');
    for (const followId of [id, 'fol_0', 'fol_00000000000000000000000000000000', '__proto__']) {
      const asked: readonly (readonly [string, string, object?])[] = [
        ['GET', ''],
        ['PATCH', '', { keep: true }],
        ['DELETE', ''],
        ['POST', '/pause', {}],
        ['POST', '/resume', {}],
        ['POST', '/check', {}],
        ['POST', '/feed/rotate', {}],
        ['GET', '/videos'],
        ['GET', '/events'],
      ];
      for (const [method, path, body] of asked) {
        const answer = await mine.send(method, `/v1/follows/${followId}${path}`, body);
        const { error } = (await answer.json()) as Refused;
        assert.deepEqual([answer.status, error.code], [404, 'FOLLOW_NOT_FOUND'], `${method} ${path}`);
      }
    }
    assert.equal((await theirs.read(id)).status, 'active');
    const token = feed_url.split('/').at(-1) ?? '';
    const flipped = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const wrong of [flipped, token.slice(0, 32), 'x', `${token}x`]) {
      assert.equal((await app.get(`/feeds/${wrong}`)).status, 404);
    }
  });

  it('when it is checked twice in a minute', async () => {
    const mine = follower(app, await app.createAccount());
    const { id } = await mine.follow('@marketdays');
    const answer = await mine.send('POST', `/v1/follows/${id}/check`);
    assert.equal(answer.status, 429);
    const waitS = Number(answer.headers.get('Retry-After'));
    assert.ok(waitS <= 60);
    const { reset, ...details } = ((await answer.json()) as { error: { details: { reset: number } } }).error.details;
    assert.deepEqual(details, { policy: 'source_looks', limit: 1 });
    assert.ok(Math.abs(reset - Date.now() / 1000 - waitS) < 10);
  });
});

describe('the feed of a follow', () => {
  it('is Atom at a secret address that can be changed, asked for again only where it has changed, and ends with it', async () => {
    const account = await app.createAccount();
    const mine = follower(app, account);
    const made = await mine.follow('@marketdays');
    const path = new URL(made.feed_url).pathname;
    const first = await app.get(path);
    assert.equal(first.headers.get('Content-Type'), 'application/atom+xml; charset=utf-8');
    assert.match(await first.text(), /<title>Market Days<\/title>/);
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    assert.equal((await app.get(path, { headers })).status, 304);
    const moved = await mine.answer<{ feed_url: string }>(200, mine.send('POST', `/v1/follows/${made.id}/feed/rotate`));
    const next = new URL(moved.feed_url).pathname;
    assert.deepEqual([(await app.get(path)).status, (await app.get(next)).status], [404, 200]);
    const { accountId } = account;
    const operated = { accountId, cause: systemCall(accountId) };
    await app.core.commands.suspendAccount(operated);
    assert.equal((await app.get(next)).status, 404);
    await app.core.commands.resumeAccount(operated);
    await mine.answer(204, mine.send('DELETE', `/v1/follows/${made.id}`));
    await mine.answer(204, mine.send('DELETE', `/v1/follows/${made.id}`));
    assert.equal((await app.get(next)).status, 404);
    assert.equal((await mine.read(made.id)).status, 'ended');
    assert.equal((await mine.follow('@marketdays')).status, 'active');
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { lists } from '#test/simulator/collections.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';

const linkOf = (name: keyof typeof lists, n = 0): string =>
  `https://www.youtube.com/playlist?list=${lists[name]}&n=${n}`;

/** Twenty links that take sixty requests to the platform. */
const twenty = Array.from({ length: 20 }, (_, n) => linkOf('threePages', n));

describe('free lists of videos', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp({ environment: { LISTINGS_PER_MINUTE: '2' } });
  });
  after(() => app[Symbol.asyncDispose]());

  const dryRun = async (key: string, ids: readonly string[]) => {
    app.simulator.reset();
    const answer = await app.post('/v1/jobs', { ids, dry_run: true }, { key });
    const body = (await answer.json()) as Record<string, unknown>;
    return { answer, body, asked: app.simulator.requests.length };
  };
  const count = async (links: readonly string[]) => {
    app.simulator.reset();
    const answer = await fetch(`${app.url}/many`, {
      method: 'POST',
      headers: { Origin: app.url, 'Sec-Fetch-Site': 'same-origin' },
      body: new URLSearchParams({ links: links.join('\n'), do: 'count' }),
    });
    return { answer, asked: app.simulator.requests.length, text: await answer.text() };
  };

  it('ask the platform a bounded number of times, and say that they did not count to the end', async () => {
    const { key } = await app.createAccount();
    const { answer, body, asked } = await dryRun(key, twenty);
    assert.equal(answer.status, 200);
    assert.equal(asked, 40);
    assert.deepEqual([body['videos_found'], body['credits_needed']], [null, 1_000]);
    const whole = await dryRun(key, twenty.slice(0, 10));
    assert.deepEqual([whole.body['videos_found'], whole.body['credits_needed']], [250, 250]);
  });

  it('are limited per minute and account, and so are paid requests with them', async () => {
    const { key } = await app.createAccount();
    const [small] = [linkOf('small')];
    const answers = [];
    for (let sent = 0; sent < 5; sent += 1) {
      const { answer, body, asked } = sent % 2 === 0 ? await dryRun(key, [small]) : await started(key, small);
      if (answer.status !== 429) continue;
      answers.push(answer);
      assert.equal(asked, 0);
      const { code, details } = body['error'] as { code: string; details: { policy: string } };
      assert.deepEqual([code, details.policy], ['RATE_LIMITED', 'listings']);
      assert.ok(Number(answer.headers.get('Retry-After')) > 0);
    }
    assert.notEqual(answers.length, 0);
    // Videos that are named one by one list nothing.
    assert.equal((await dryRun(key, ['lighthouse1'])).answer.status, 200);
    const { key: other } = await app.createAccount();
    assert.equal((await dryRun(other, [small])).answer.status, 200);
  });

  const started = async (key: string, link: string) => {
    app.simulator.reset();
    const answer = await app.post('/v1/jobs', { ids: [link], limit: 1 }, { key });
    const body = (await answer.json()) as Record<string, unknown>;
    const asked = app.simulator.requests.filter(({ endpoint }) => endpoint === 'browse').length;
    return { answer, body, asked };
  };

  it('are limited for the address of a visitor', async () => {
    const first = await count(twenty);
    assert.equal(first.answer.status, 200, first.text);
    assert.ok(first.asked <= 40);
    const statuses = [];
    for (let sent = 0; sent < 5; sent += 1) {
      const { answer, asked } = await count([linkOf('small')]);
      if (answer.status === 429) {
        assert.equal(asked, 0);
        assert.ok(Number(answer.headers.get('Retry-After')) > 0);
      }
      statuses.push(answer.status);
    }
    assert.ok(statuses.includes(429), statuses.join());
  });
});

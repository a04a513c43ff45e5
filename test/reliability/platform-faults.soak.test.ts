import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Fault, FaultKind } from '#test/simulator/faults.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { chargesOf } from '#test/support/balances.ts';
import { errorIn, jsonIn, type TranscriptJson, type UsageJson } from '#test/support/response-json.ts';

type Case = readonly [
  what: string,
  fault: Pick<Fault, 'endpoint'> & { readonly does: FaultKind },
  status: number,
  code: string,
  retryAfter: string | null,
];

const captions = (does: FaultKind) => ({ endpoint: 'timedtext', does }) as const;
const anything = (does: FaultKind) => ({ does });

const cases: readonly Case[] = [
  ['captions of 50 MB', captions({ kind: 'huge' }), 502, 'PLATFORM_CHANGED', null],
  [
    'a captcha page instead of captions',
    captions({ kind: 'html', page: 'captcha', status: 200 }),
    429,
    'PLATFORM_BLOCKED',
    '60',
  ],
  ['a captcha page instead of the video', anything({ kind: 'html', page: 'captcha' }), 429, 'PLATFORM_BLOCKED', '60'],
  ['a redirect to it', anything({ kind: 'redirect' }), 429, 'PLATFORM_BLOCKED', '60'],
  ['a consent page', anything({ kind: 'html', page: 'consent' }), 502, 'PLATFORM_CHANGED', null],
  ['captions of zero bytes', captions({ kind: 'empty' }), 429, 'PLATFORM_BLOCKED', '60'],
  ['an answer of zero bytes', anything({ kind: 'empty' }), 429, 'PLATFORM_BLOCKED', '60'],
  [
    'the answer about another video',
    anything({ kind: 'other_video', videoId: samples.regional }),
    429,
    'PLATFORM_BLOCKED',
    '30',
  ],
  ['captions that end too early', captions({ kind: 'truncated' }), 502, 'PLATFORM_CHANGED', null],
  ['captions whose connection breaks', captions({ kind: 'cut' }), 504, 'PLATFORM_TIMEOUT', null],
  [
    'garbled captions',
    captions({ kind: 'status', status: 200, body: '{"events":[{"tStartMs":"\u0001' }),
    502,
    'PLATFORM_CHANGED',
    null,
  ],
  [
    'captions of a shape that nobody knows',
    captions({ kind: 'json', body: { lines: [] } }),
    502,
    'PLATFORM_CHANGED',
    null,
  ],
  [
    'a limit with the time to wait',
    anything({ kind: 'status', status: 429, retryAfter: 77 }),
    429,
    'PLATFORM_RATE_LIMITED',
    '77',
  ],
  ['a refusal', anything({ kind: 'status', status: 403 }), 429, 'PLATFORM_BLOCKED', '60'],
  ['an error of its own', anything({ kind: 'status', status: 500 }), 504, 'PLATFORM_TIMEOUT', null],
  ['a reset connection', anything({ kind: 'reset' }), 504, 'PLATFORM_TIMEOUT', null],
  ['silence', anything({ kind: 'silence' }), 504, 'PLATFORM_TIMEOUT', null],
  ['captions that dribble', captions({ kind: 'drip', bytes: 1, everyMs: 100 }), 504, 'PLATFORM_TIMEOUT', null],
];

describe('when the platform answers with', () => {
  type ReadPair = { readonly first: Response; readonly again: Response };
  const videoOf = (n: number): string => generatedId('vid', n);
  let app: TestApp;
  /** Gives up after a second: for a platform that never comes to an end. */
  let impatient: TestApp;
  let accounts: { readonly patient: TestAccount; readonly impatient: TestAccount };
  let chargedFirst: number;
  let reads: readonly ReadPair[];

  const read = ([, { does }]: Case, n: number): Promise<Response> => {
    const isEndless = does.kind === 'silence' || does.kind === 'drip';
    const [asked, { key }] = isEndless ? [impatient, accounts.impatient] : [app, accounts.patient];
    return asked.get(`/v1/transcripts/${videoOf(n)}`, { key });
  };
  /** What is large comes alone, so that nothing else runs out of time meanwhile. */
  const readAll = async (): Promise<Response[]> => {
    const answers: Response[] = [];
    const isHuge = ([, { does }]: Case): boolean => does.kind === 'huge';
    for (const [n, one] of cases.entries()) if (isHuge(one)) answers[n] = await read(one, n);
    const others = cases.map(async (one, n) => {
      if (!isHuge(one)) answers[n] = await read(one, n);
    });
    await Promise.all(others);
    return answers;
  };

  before(async () => {
    app = await startTestApp();
    impatient = await startTestApp({ simulator: app.simulator, environment: { EXTRACTION_DEADLINE: '3s' } });
    accounts = { patient: await app.createAccount(), impatient: await impatient.createAccount() };
    for (const [n, [, fault]] of cases.entries()) {
      app.simulator.plan({ ...fault, videoId: videoOf(n), times: 'always' });
    }
    const first = await readAll();
    chargedFirst =
      (await chargesOf(app.databaseUrl, accounts.patient.accountId)).length +
      (await chargesOf(impatient.databaseUrl, accounts.impatient.accountId)).length;
    app.simulator.reset();
    const again = await readAll();
    reads = first.flatMap((one, n) => {
      const other = again[n];
      return other === undefined ? [] : { first: one, again: other };
    });
  });
  after(async () => {
    await impatient[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
  });

  for (const [n, [what, , status, code, retryAfter]] of cases.entries()) {
    it(`${what}: ${status} ${code}, nothing charged, nothing kept`, async () => {
      const read = reads[n];
      assert.ok(read);
      const { first, again } = read;
      const error = await errorIn(first);
      assert.deepEqual([first.status, error.code, first.headers.get('Retry-After')], [status, code, retryAfter]);
      assert.equal(first.headers.get('X-Credits-Charged'), '0');
      assert.equal(typeof error.details?.['reason'], 'string');
      assert.equal(chargedFirst, 0);
      const transcript = await jsonIn<TranscriptJson>(again);
      assert.deepEqual([transcript.video_id, transcript.segment_count], [videoOf(n), 8]);
      assert.equal(again.headers.get('X-Credits-Charged'), '1');
    });
  }

  it('no response is part of another: charges add up', async () => {
    const { key } = accounts.patient;
    const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
    const count = cases.length - 2;
    assert.deepEqual([usage.successful, usage.credits_used], [count, count]);
  });
});

describe('a caller who disconnects', () => {
  it('before the captions have arrived is not charged, and no further platform request is sent', async () => {
    await using app = await startTestApp();
    const { accountId, key } = await app.createAccount();
    const gone = new AbortController();
    const path = `/v1/transcripts/${samples.slow}`;
    const seen = app.simulator.nextRequest(({ videoId }) => videoId === samples.slow);
    const lost = app.get(path, { key, signal: gone.signal });
    await seen;
    gone.abort();
    await assert.rejects(lost, { name: 'AbortError' });
    const asked = app.simulator.requests.length;

    const answer = await app.get(path, { key });
    assert.equal(answer.status, 200, await answer.text());
    assert.ok(app.simulator.requests.length - asked <= 2);
    const charges = await chargesOf(app.databaseUrl, accountId);
    assert.deepEqual(
      charges.map(({ eventId }) => eventId),
      [answer.headers.get('X-Credits-Event')],
    );
    const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
    assert.deepEqual([usage.credits_used, usage.credits_remaining], [1, 9_999]);
  });
});

describe('a platform that refuses this service', () => {
  it('is reported by status after three failures, until the first success', async () => {
    await using blocked = await startTestApp();
    const { key } = await blocked.createAccount();
    const status = async () =>
      jsonIn<{
        status: string;
        active_alerts: unknown[];
        egress: { healthy: boolean; extraction: { consecutive_failures: number } };
      }>(await blocked.get('/api/status.json'));
    const read = async (n: number) => (await blocked.get(`/v1/transcripts/${generatedId('vid', n)}`, { key })).status;
    assert.deepEqual((await status()).active_alerts, []);

    blocked.simulator.plan({ times: 'always', does: { kind: 'status', status: 403 } });
    assert.deepEqual([await read(1), await read(2), await read(3)], [429, 429, 429]);
    const bad = await status();
    assert.equal(bad.egress.extraction.consecutive_failures, 3);
    assert.equal(bad.active_alerts.length, 1);
    assert.notEqual(bad.status, 'operational');
    assert.equal((await blocked.get('/api/health')).status, 200);

    blocked.simulator.reset();
    assert.equal(await read(1), 200);
    const good = await status();
    assert.equal(good.egress.extraction.consecutive_failures, 0);
    assert.deepEqual(good.active_alerts, []);
  });
});

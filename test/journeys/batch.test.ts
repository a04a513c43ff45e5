import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import {
  type EntryJson,
  errorIn,
  jsonIn,
  refusalIn,
  type TranscriptJson,
  type UsageJson,
} from '#test/support/response-json.ts';

type Batch = {
  readonly requested: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly credits_charged: number;
  readonly results: readonly {
    readonly id: string;
    readonly video_id: string | null;
    readonly status: string;
    readonly transcript: TranscriptJson | null;
    readonly error_code: string | null;
    readonly error_message: string | null;
    readonly credits_charged: number;
    readonly charge_id: string | null;
  }[];
};

let app: TestApp;

const batch = (key: string, body: unknown) => app.post('/v1/transcripts', body, { key });
const remaining = async (key: string): Promise<number> =>
  (await jsonIn<UsageJson>(await app.get('/v1/usage', { key }))).credits_remaining;
const many = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => generatedId('vid', from + n));

describe('POST /v1/transcripts', () => {
  before(async () => {
    app = await startTestApp();
  });
  after(() => app[Symbol.asyncDispose]());

  it('reads fifty videos in one request, in their order, each charged once and all in one append', async () => {
    const { key } = await app.createAccount({ plan: 'starter' });
    const ids = many(50);
    const answer = await batch(key, { ids });
    const read = await jsonIn<Batch>(answer);
    assert.deepEqual([read.requested, read.succeeded, read.failed, read.credits_charged], [50, 50, 0, 50]);
    assert.deepEqual(
      read.results.map(({ id, video_id, status }) => [id, video_id, status]),
      ids.map((id) => [id, id, 'complete']),
    );
    assert.ok(read.results.every(({ transcript }) => transcript?.segment_count === 8));
    assert.equal(answer.headers.get('X-Credits-Charged'), '50');
    assert.equal(await remaining(key), 950);

    const requestId = answer.headers.get('X-Request-ID');
    const { entries } = await jsonIn<{ entries: EntryJson[] }>(
      await app.get(`/v1/ledger?limit=100&request_id=${requestId}`, { key }),
    );
    assert.deepEqual(entries.map(({ id }) => id).sort(), read.results.map(({ charge_id }) => charge_id).sort());
    const positions = entries.map(({ position }) => Number(position)).sort((a, b) => a - b);
    assert.deepEqual(
      positions,
      positions.map((_, n) => (positions[0] ?? 0) + n),
    );
    const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
    assert.deepEqual(usage.by_kind, [{ kind: 'batch', count: 1, credits: 50 }]);
  });

  it('fails items without failing the batch, and charges the successes alone', async () => {
    const { key } = await app.createAccount({ plan: 'starter', credits: 20 });
    const ids = [
      samples.regional,
      samples.private,
      generatedId('del', 7),
      'not a video',
      samples.noCaptions,
      samples.botCheck,
    ];
    const answer = await batch(key, { ids });
    const read = await jsonIn<Batch>(answer);
    assert.deepEqual(
      read.results.map(({ status, error_code, credits_charged }) => [status, error_code, credits_charged]),
      [
        ['complete', null, 1],
        ['failed', 'VIDEO_UNAVAILABLE', 0],
        ['failed', 'VIDEO_NOT_FOUND', 0],
        ['failed', 'INVALID_VIDEO_ID', 0],
        ['failed', 'TRANSCRIPT_NOT_AVAILABLE', 0],
        ['failed', 'PLATFORM_BLOCKED', 0],
      ],
    );
    assert.deepEqual([read.succeeded, read.failed, read.credits_charged], [1, 5, 1]);
    assert.equal(answer.headers.get('X-Credits-Charged'), '1');
    assert.equal(await remaining(key), 19);
  });

  it('reads and charges a video once if it is named twice, by any of its links', async () => {
    const { key } = await app.createAccount({ plan: 'starter', credits: 20 });
    const ids = [samples.regional, `https://youtu.be/${samples.regional}`, samples.regional];
    const read = await jsonIn<Batch>(await batch(key, { ids }));
    assert.deepEqual([read.requested, read.succeeded, read.credits_charged], [3, 3, 1]);
    assert.deepEqual(
      read.results.map(({ id, credits_charged }) => [id, credits_charged]),
      ids.map((id, n) => [id, n === 0 ? 1 : 0]),
    );
    assert.equal(await remaining(key), 19);
  });

  it('applies language, clean and timestamps to every item', async () => {
    const { key } = await app.createAccount();
    const read = await jsonIn<Batch>(
      await batch(key, { ids: [samples.lyrics, samples.manyLanguages], lang: 'en', clean: true, timestamps: true }),
    );
    const [lyrics, languages] = read.results;
    assert.equal(lyrics?.transcript?.segments[0]?.text, '[00:01] The boats are painted blue and white');
    assert.equal(languages?.transcript?.language, 'en');
    assert.equal(languages?.transcript?.source, 'manual');
  });

  it('refuses a whole batch that the balance does not cover, before the platform is asked', async () => {
    const { key } = await app.createAccount({ plan: 'starter', credits: 4 });
    const asked = app.simulator.requests.length;
    const answer = await batch(key, { ids: many(5, 100) });
    assert.equal(answer.status, 402);
    const error = await errorIn(answer);
    assert.equal(error.code, 'INSUFFICIENT_CREDITS');
    assert.deepEqual(error.details, { required: 5, remaining: 4 });
    assert.equal(app.simulator.requests.length, asked);
    assert.equal(await remaining(key), 4);

    const four = await jsonIn<Batch>(await batch(key, { ids: [...many(4, 100), ...many(4, 100)] }));
    assert.deepEqual([four.requested, four.credits_charged], [8, 4]);
    assert.equal(await remaining(key), 0);
  });

  const refused: readonly (readonly [string, unknown])[] = [
    ['51 ids', { ids: many(51) }],
    ['no ids', { ids: [] }],
    ['ids that are missing', {}],
    ['ids that are no list', { ids: { '0': 'a' } }],
    ['ids that are no texts', { ids: [1] }],
    ['a language that is none', { ids: [samples.regional], lang: 'en"; drop' }],
    ['clean that is no boolean', { ids: [samples.regional], clean: 'yes' }],
  ];
  for (const [what, body] of refused) {
    it(`refuses ${what}, and charges nothing`, async () => {
      const { key } = await app.createAccount({ plan: 'starter', credits: 60 });
      assert.deepEqual(await refusalIn(await batch(key, body)), [400, 'INVALID_REQUEST', '0']);
      assert.equal(await remaining(key), 60);
    });
  }

  it('returns the same response under the same Idempotency-Key, charged once', async () => {
    const { key } = await app.createAccount({ plan: 'starter', credits: 20 });
    const body = { ids: many(3, 200) };
    const headers = { 'Idempotency-Key': 'a-batch' };
    const ask = () => app.post('/v1/transcripts', body, { key, headers });
    const first = await ask();
    const firstText = await first.text();
    const second = await ask();
    assert.equal(await second.text(), firstText);
    assert.equal(second.headers.get('Idempotent-Replayed'), 'true');
    assert.equal(second.headers.get('X-Credits-Event'), first.headers.get('X-Credits-Event'));
    assert.equal(await remaining(key), 17);
    const other = await app.post('/v1/transcripts', { ids: many(1, 300) }, { key, headers });
    assert.deepEqual(await refusalIn(other), [422, 'IDEMPOTENCY_KEY_REUSED', '0']);
  });
});

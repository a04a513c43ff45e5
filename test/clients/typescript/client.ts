// The installed package `steno-client` against a demo: `npm run test:clients` compiles and runs it.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  ConnectionError,
  InvalidApiKeyError,
  InvalidRequestError,
  JobNotFoundError,
  RateLimitedError,
  ReceiptVerificationError,
  Steno,
  StenoError,
  type StenoOptions,
  type schemas,
  VideoUnavailableError,
  verifyReceipt,
  verifyWebhook,
  WebhookVerificationError,
} from 'steno-client';

const { STENO_URL: baseUrl = '', STENO_API_KEY: apiKey = '' } = process.env;
const client = (more: Partial<StenoOptions> = {}): Steno => new Steno({ apiKey, baseUrl, random: () => 0, ...more });
const steno = client();

const refusal = (code: string, details: unknown = null): string =>
  JSON.stringify({ error: { code, message: 'No.', request_id: 'req_1', details } });

type Attempt = (request: Request) => Promise<Response>;

/** A client whose first requests are answered by these; the demo answers the others. */
const answeredFirst = (attempts: readonly Attempt[], more: Partial<StenoOptions> = {}) => {
  const requests: Request[] = [];
  const fetch = (request: Request): Promise<Response> => {
    requests.push(request);
    const attempt = attempts[requests.length - 1];
    return attempt === undefined ? globalThis.fetch(request) : attempt(request);
  };
  return { steno: client({ fetch, ...more }), requests };
};

const answer =
  (status: number, body: string, headers: Record<string, string> = {}): Attempt =>
  async () =>
    new Response(body, { status, headers: { 'Content-Type': 'application/json', ...headers } });
const lost: Attempt = () => Promise.reject(new TypeError('fetch failed'));

const startJob = async (): Promise<string> => {
  const job: schemas.JobStarted = await steno.createJob({ ids: ['lighthouse1', 'languages-6'] });
  return job.job_id;
};

describe('the TypeScript client', () => {
  it('reads transcripts, typed by the format', async () => {
    const transcript: schemas.Transcript = await steno.getTranscript('lighthouse1', { lang: 'en' });
    assert.equal(transcript.title, 'How a lighthouse speaks');
    const subtitles: string = await steno.getTranscript('lighthouse1', { format: 'srt' });
    assert.match(subtitles, /^1\r?\n00:00:/);
    const byLink = await steno.getTranscript('https://www.youtube.com/watch?v=lighthouse1&t=3');
    assert.equal(byLink.video_id, 'lighthouse1');
  });

  it('shows the headers of an answer', async () => {
    let charged: string | null = null;
    const onResponse = ({ headers }: Response): void => {
      charged = headers.get('X-Credits-Charged');
    };
    await steno.getTranscript('lighthouse1', {}, { onResponse });
    assert.equal(charged, '1');
  });

  it('runs operations, or requests their price', async () => {
    const said: schemas.Answer = await steno.ask({
      video_id: 'lighthouse1',
      question: 'How much does the lens weigh?',
    });
    assert.equal(typeof said.answer, 'string');
    const price: schemas.InsightQuote = await steno.ask(
      { video_id: 'lighthouse1', question: 'Why?' },
      { dryRun: true },
    );
    assert.equal(price.dry_run, true);
    const plan: schemas.JobPlan = await steno.createJob({ ids: ['lighthouse1'] }, { dryRun: true });
    assert.equal(plan.credits_needed, 1);
  });

  it('throws each code as a class', async () => {
    await assert.rejects(steno.getTranscript('private-001'), (error) => {
      assert.ok(error instanceof VideoUnavailableError && error instanceof StenoError);
      assert.equal(error.status, 404);
      assert.equal(error.details?.['reason'], 'private');
      assert.match(error.requestId ?? '', /^req_/);
      return true;
    });
    await assert.rejects(steno.getJob('job_none'), JobNotFoundError);
    await assert.rejects(steno.ask({ video_id: 'lighthouse1', question: '' }), InvalidRequestError);
    await assert.rejects(client({ apiKey: 'wrong' }).getUsage(), InvalidApiKeyError);
    const { steno: other } = answeredFirst([answer(418, refusal('NEW_CODE')), answer(400, '<html>')]);
    await assert.rejects(other.getUsage(), { code: 'NEW_CODE', status: 418 });
    await assert.rejects(other.getUsage(), { code: 'HTTP_400' });
  });

  it('retries a lost request under one Idempotency-Key, charged once', async () => {
    const { steno: patient, requests } = answeredFirst([
      lost,
      answer(503, refusal('SERVICE_UNAVAILABLE'), { 'Retry-After': '0' }),
      answer(409, refusal('IDEMPOTENCY_IN_PROGRESS'), { 'Retry-After': '0' }),
      // The answer is lost after the work was done.
      async (request) => {
        await (await globalThis.fetch(request)).arrayBuffer();
        throw new TypeError('terminated');
      },
    ]);
    const before = await steno.getUsage();
    await patient.getTranscripts({ ids: ['languages-6'] });
    assert.equal(requests.length, 5);
    const keys = new Set(requests.map(({ headers }) => headers.get('Idempotency-Key')));
    assert.equal(keys.size, 1);
    assert.match([...keys][0] ?? '', /^[\da-f-]{36}$/);
    assert.equal((await steno.getUsage()).credits_remaining, before.credits_remaining - 1);
  });

  it('takes an Idempotency-Key of its caller', async () => {
    const { steno: own, requests } = answeredFirst([]);
    await own.createJob({ ids: ['lighthouse1'] }, { idempotencyKey: 'nightly-1' });
    assert.equal(requests[0]?.headers.get('Idempotency-Key'), 'nightly-1');
  });

  it('waits as long as Retry-After says, and not for ever', async () => {
    const limited = (seconds: string): Attempt => answer(429, refusal('RATE_LIMITED'), { 'Retry-After': seconds });
    const { steno: patient, requests } = answeredFirst([limited('1')]);
    const begun = performance.now();
    await patient.getUsage();
    assert.ok(performance.now() - begun >= 990);
    assert.equal(requests.length, 2);
    const { steno: refused } = answeredFirst([limited('3600')]);
    await assert.rejects(
      refused.getUsage(),
      (error) => error instanceof RateLimitedError && error.retryAfter === 3_600,
    );
  });

  it('retries nothing that would fail again or might be done twice', async () => {
    const final = answeredFirst([answer(504, refusal('PLATFORM_TIMEOUT', { retryable: false }))]);
    await assert.rejects(final.steno.getTranscript('lighthouse1'), StenoError);
    assert.equal(final.requests.length, 1);
    const unsafe = answeredFirst([lost]);
    await assert.rejects(unsafe.steno.deleteWebhook('wh_1'), ConnectionError);
    assert.equal(unsafe.requests.length, 1);
    const hopeless = answeredFirst([lost, lost, lost], { maxRetries: 2 });
    await assert.rejects(hopeless.steno.getUsage(), ConnectionError);
    assert.equal(hopeless.requests.length, 3);
  });

  it('ends with the signal of its caller', async () => {
    const { steno: patient } = answeredFirst([answer(429, refusal('RATE_LIMITED'), { 'Retry-After': '30' })]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await assert.rejects(patient.getUsage({}, { signal: controller.signal }), /enough/);
  });

  it('follows a job, again where its connection was lost', async () => {
    const jobId = await startJob();
    const whole: string[] = [];
    for await (const { id, event, data } of steno.watchJob(jobId)) {
      whole.push(`${id} ${event} ${data.status}`);
    }
    assert.match(whole.at(-1) ?? '', /job completed$/);
    // The stream breaks within its second event.
    const { steno: broken, requests } = answeredFirst([
      async (request) => {
        const text = await (await globalThis.fetch(request)).text();
        const second = text.indexOf('id: ', text.indexOf('id: ') + 1);
        const cut = new TextEncoder().encode(text.slice(0, second + 40));
        let sent = false;
        const body = new ReadableStream({
          pull(controller) {
            if (sent) return controller.error(new TypeError('terminated'));
            sent = true;
            controller.enqueue(cut);
          },
        });
        return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
      },
    ]);
    const resumed: string[] = [];
    for await (const { id, event, data } of broken.watchJob(jobId)) resumed.push(`${id} ${event} ${data.status}`);
    assert.deepEqual(resumed, whole);
    assert.equal(requests[1]?.headers.get('Last-Event-ID'), whole[0]?.split(' ')[0]);
    const lastEventId = whole.at(-2)?.split(' ')[0];
    const tail = await Array.fromAsync(steno.watchJob(jobId, { lastEventId }));
    assert.equal(tail.length, 1);
  });

  it('returns the results of a job as they arrive, and resumes where it stopped', async () => {
    const jobId = await startJob();
    const results = await Array.fromAsync(steno.followJob(jobId));
    assert.deepEqual(results.map(({ result }) => result.reference).toSorted(), ['languages-6', 'lighthouse1']);
    assert.equal((await steno.waitForJob(jobId)).status, 'completed');
    const again = await Array.fromAsync(steno.followJob(jobId, { cursor: results.at(-1)?.cursor }));
    assert.ok(again.length > 0);
    await assert.rejects(Array.fromAsync(steno.followJob('job_none')), JobNotFoundError);
  });

  it('ends with the last page of a job that is over, though it is full', async () => {
    const results = Array.from({ length: 100 }, (_, place) => ({ reference: `v${place}` }));
    const page = (next: string | null): Attempt =>
      answer(200, JSON.stringify({ status: 'completed', results, next_cursor: next }));
    const { steno: paged, requests } = answeredFirst([page('c1'), page(null)]);
    const followed = await Array.fromAsync(paged.followJob('job_1'));
    assert.equal(followed.length, 200);
    assert.equal(followed.at(-1)?.cursor, 'c1');
    assert.equal(requests.length, 2);
  });

  it('iterates over pages', async () => {
    const ids = new Set((await Array.fromAsync(steno.iterateJobs({ limit: 1 }))).map(({ id }) => id));
    assert.equal(ids.size, (await steno.listJobs({ limit: 50 })).jobs.length);
    assert.ok(ids.size > 1);
    const jobId = await startJob();
    await steno.waitForJob(jobId);
    assert.equal((await Array.fromAsync(steno.iterateJobResults(jobId, { limit: 1 }))).length, 2);
  });

  it('has the paths of openapi-fetch, with the same repeats', async () => {
    const { steno: patient, requests } = answeredFirst([lost]);
    const { data: usage } = await patient.api.GET('/v1/usage', { params: { query: { days: 1 } } });
    assert.equal(usage?.period_days, 1);
    assert.equal(requests.length, 2);
  });
});

describe('verifyWebhook of the TypeScript client', () => {
  const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
  const body = '{"id":"evt_1","type":"job.completed"}';
  const now = 1_767_225_600;
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(now),
    'webhook-signature': 'v1,RZ3vNozCEHkz6UfUsJ2gswFqrZfZhrdodkO4WBJX7a4=',
  };

  it('accepts signed deliveries, also during a rotation', async () => {
    assert.equal((await verifyWebhook({ secret, body, headers, now })).id, 'evt_1');
    const other = createHmac('sha256', 'other').update(body).digest('base64');
    const both = new Headers({ ...headers, 'webhook-signature': `v1,${other} ${headers['webhook-signature']}` });
    assert.equal(
      (await verifyWebhook({ secret, body: Buffer.from(body), headers: both, now: now + 299 })).type,
      'job.completed',
    );
  });

  it('refuses everything else', async () => {
    const wrong = [
      { body: body.replace('evt_1', 'evt_2') },
      { now: now + 301 },
      { now: now - 301 },
      { headers: {} },
      { headers: { ...headers, 'webhook-id': 'evt_2' } },
      { headers: { ...headers, 'webhook-timestamp': 'now' } },
      { headers: { ...headers, 'webhook-signature': 'v1,x v1,AAAA v2,AAAA' } },
      { secret: 'whsec_b3RoZXI=' },
      { secret: '' },
    ];
    for (const part of wrong) {
      await assert.rejects(verifyWebhook({ secret, body, headers, now, ...part }), WebhookVerificationError);
    }
  });
});

describe('verifyReceipt of the TypeScript client', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const said = {
    ...{ operation: 'summarize', credits: 2, balance_before: 5, balance_after: 3 },
    content_sha256: '704207ddaea3e629c8a0953dec247a452670eb2c02e85fe55785fd899c510a4f',
  };
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = (payload: unknown = said, header: Record<string, string> = {}): string => {
    const begun = `${encoded({ alg: 'EdDSA', kid: 'k1', ...header })}.${encoded(payload)}`;
    return `${begun}.${sign(null, Buffer.from(begun), privateKey).toString('base64url')}`;
  };
  const jwksOf = (key: KeyObject): schemas.KeySet => ({
    keys: [{ kty: 'OKP', crv: 'Ed25519', x: key.export({ format: 'jwk' }).x ?? '', kid: 'k1', use: 'sig' }],
  });
  const jwks = jwksOf(publicKey);

  it('says what was charged, and for which content', async () => {
    const charges: string[] = [];
    const onResponse = ({ headers }: Response): void => {
      charges.push(headers.get('X-Credits-Event') ?? '');
    };
    const transcript = await steno.getTranscript('lighthouse1', {}, { onResponse });
    const chapters = await steno.chapters({ video_id: 'lighthouse1' }, { onResponse });
    const keys = await steno.getKeySet();
    const jws = await Promise.all(charges.map(async (charge) => (await steno.getReceipts(charge)).receipts[0] ?? ''));
    for (const [place, content] of [transcript, chapters].entries()) {
      const receipt = await verifyReceipt(jws[place] ?? '', keys, content);
      assert.equal(receipt.operation, ['transcript', 'chapters'][place]);
      assert.equal(receipt.video_id, 'lighthouse1');
    }
    const other = { ...transcript, segments: transcript.segments.slice(1) };
    await assert.rejects(verifyReceipt(jws[0] ?? '', keys, other), /not the content paid for/);
  });

  it('refuses what is not signed with a published key', async () => {
    const good = signed();
    assert.equal((await verifyReceipt(good, jwks)).credits, 2);
    const [head = '', payload = '', signature = ''] = good.split('.');
    const changed = encoded({ ...said, credits: 1, balance_after: 4 });
    const wrong: [jws: string, keys: schemas.KeySet, why: RegExp][] = [
      [`${head}.${changed}.${signature}`, jwks, /was changed/],
      [`${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`, jwks, /was changed/],
      [good, jwksOf(generateKeyPairSync('ed25519').publicKey), /another key/],
      [signed(said, { kid: 'k2' }), jwks, /not among the keys/],
      [good, { keys: [] }, /not among the keys/],
      [signed(said, { alg: 'none' }), jwks, /signed with none/],
      [signed(said, { alg: 'HS256' }), jwks, /signed with HS256/],
      [signed({ ...said, credits: 1 }), jwks, /do not add up/],
      [signed([]), jwks, /not a compact JWS/],
      ...['', 'a.b', '..', 'ä.b.c', `${good}.x`, `${good}=`, `${head}.${payload}.`].map(
        (text): [string, schemas.KeySet, RegExp] => [text, jwks, /not a compact JWS/],
      ),
    ];
    for (const [jws, keys, why] of wrong) {
      await assert.rejects(verifyReceipt(jws, keys), (error) => {
        assert.ok(error instanceof ReceiptVerificationError);
        assert.match(error.message, why);
        return true;
      });
    }
  });

  it('hashes content in the canonical form of the service', async () => {
    const content = JSON.parse(
      String.raw`{"summary": {"z": [1, 1.0, 1e21, 1e-7, 123456789.125, -0.0, 0.000001, true, null],
      "\u00e9": "\u2028\u0000\"\ud83d\ude00\ud800\n\u001f", "\ud83d\ude00": "", "\uffee": ""}, "video_id": "v"}`,
    );
    assert.equal((await verifyReceipt(signed(), jwks, content)).operation, 'summarize');
    const without = signed({ ...said, content_sha256: null });
    await assert.rejects(verifyReceipt(without, jwks, content), /does not say which content/);
  });
});

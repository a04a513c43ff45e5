import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Commands } from '#src/commands.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { bearer, errorOf, holder, memoryIdempotency, readReceipt, startEdge, transcript } from '#test/support/http.ts';

const charging = () => {
  const deduplicationKeys: string[] = [];
  const readBatch: Commands['readBatch'] = async ({ deduplicationKey }) => {
    deduplicationKeys.push(deduplicationKey);
    return { creditsCharged: 1, eventId: `evt_${deduplicationKeys.length}`, items: [] };
  };
  return { deduplicationKeys, commands: { readBatch } };
};
const keyed = (key: string) => ({ ...bearer, 'Idempotency-Key': key });
const batch = { ids: ['a'] };

describe('a request with an Idempotency-Key', () => {
  it('is answered again with the same bytes and the same charge, without being executed again', async () => {
    const { commands, deduplicationKeys } = charging();
    await using edge = await startEdge({ commands });
    const first = await edge.post('/v1/transcripts', batch, keyed('k'));
    const again = await edge.post('/v1/transcripts', batch, keyed('k'));
    assert.equal(first.headers.has('idempotent-replayed'), false);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.status, 200);
    for (const name of ['content-type', 'x-credits-charged', 'x-credits-event']) {
      assert.equal(again.headers.get(name), first.headers.get(name));
    }
    assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'));
    assert.equal(await again.text(), await first.text());
    assert.equal(deduplicationKeys.length, 1);
  });

  it('may be a GET that is charged', async () => {
    let reads = 0;
    await using edge = await startEdge({
      commands: {
        readTranscript: async () => {
          reads += 1;
          return { ...readReceipt, transcript, text: null };
        },
      },
    });
    await edge.get('/v1/transcripts/x?lang=en', keyed('k'));
    const again = await edge.get('/v1/transcripts/x?lang=en', keyed('k'));
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.headers.get('x-transcript-language'), 'en-GB');
    assert.equal(reads, 1);
    assert.equal((await edge.get('/v1/transcripts/y?lang=en', keyed('k'))).status, 422);
  });

  it('is the same with the members of its body in another order, and not with those of a list', async () => {
    const { commands, deduplicationKeys } = charging();
    await using edge = await startEdge({ commands });
    const send = (body: object) => edge.post('/v1/transcripts', body, keyed('k'));
    const more = { b: [{ y: 1, x: [1, 2] }], a: null };
    await send({ ids: ['a', 'b'], clean: true, more });
    const turned = { a: null, b: [{ x: [1, 2], y: 1 }] };
    const again = await send({ more: turned, clean: true, ids: ['a', 'b'] });
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    for (const other of [
      { ids: ['b', 'a'], clean: true, more },
      { ids: ['a', 'b'], clean: true, more: { ...more, b: [{ y: 1, x: [2, 1] }] } },
      { ids: ['a', 'b'], clean: true, more: { ...more, c: 1 } },
    ]) {
      assert.equal((await send(other)).status, 422);
    }
    assert.equal(deduplicationKeys.length, 1);
  });

  it('is recognized if an earlier version began it, which hashed the members in the order sent', async () => {
    const { commands, deduplicationKeys } = charging();
    const idempotency = memoryIdempotency();
    await using edge = await startEdge({ commands, idempotency });
    const body = { ids: ['a'], clean: true };
    const asSent = createHash('sha256').update(`POST /v1/transcripts\n${JSON.stringify(body)}`);
    const scope = { accountId: holder.accountId, route: 'POST /v1/transcripts', key: 'k' };
    const begun = await idempotency.begin(scope, asSent.digest('hex'));
    assert(begun.outcome === 'begun');
    await idempotency.release(scope, begun.deduplicationKey);
    assert.equal((await edge.post('/v1/transcripts', body, keyed('k'))).status, 200);
    assert.deepEqual(deduplicationKeys, [begun.deduplicationKey]);
  });

  // S61: `Idempotency-Key`: repeats and misuse
  it('is refused with 422 if the key was used with another body', async () => {
    const { commands } = charging();
    await using edge = await startEdge({ commands });
    await edge.post('/v1/transcripts', batch, keyed('k'));
    const other = await edge.post('/v1/transcripts', { ids: ['b'] }, keyed('k'));
    assert.equal(other.status, 422);
    assert.equal((await errorOf(other)).code, 'IDEMPOTENCY_KEY_REUSED');
  });

  it('is another request for another account', async () => {
    const { commands, deduplicationKeys } = charging();
    await using edge = await startEdge({
      commands,
      queries: { findKeyHolder: async (secret) => ({ ...holder, accountId: secret }) },
    });
    await edge.post('/v1/transcripts', batch, { 'X-API-Key': 'one', 'Idempotency-Key': 'k' });
    const other = await edge.post('/v1/transcripts', { ids: ['b'] }, { 'X-API-Key': 'two', 'Idempotency-Key': 'k' });
    assert.equal(other.status, 200);
    assert.equal(new Set(deduplicationKeys).size, 2);
  });

  // S61: `Idempotency-Key`: repeats and misuse
  it('gets 409 while the first one is running, and its response afterwards', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: free, resolve: finish } = Promise.withResolvers<void>();
    await using edge = await startEdge({
      commands: {
        readBatch: async () => {
          begin();
          await free;
          return { creditsCharged: 1, eventId: 'evt_1', items: [] };
        },
      },
    });
    const first = edge.post('/v1/transcripts', batch, keyed('k'));
    await begun;
    const second = await edge.post('/v1/transcripts', batch, keyed('k'));
    assert.equal(second.status, 409);
    assert.match(second.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await errorOf(second)).code, 'IDEMPOTENCY_IN_PROGRESS');
    finish();
    assert.equal((await first).status, 200);
    assert.equal((await edge.post('/v1/transcripts', batch, keyed('k'))).status, 200);
  });

  for (const key of ['', 'a'.repeat(256), 'with space', 'ümlaut', 'a\tb']) {
    it(`is refused with 400 when the key is ${JSON.stringify(key.slice(0, 12))}`, async () => {
      const { commands, deduplicationKeys } = charging();
      await using edge = await startEdge({ commands });
      const answer = await edge.post('/v1/transcripts', batch, keyed(key));
      assert.equal(answer.status, 400);
      assert.equal((await errorOf(answer)).code, 'INVALID_REQUEST');
      assert.equal(deduplicationKeys.length, 0);
    });
  }

  it('may have a key of 255 visible characters', async () => {
    const { commands } = charging();
    await using edge = await startEdge({ commands });
    const answer = await edge.post('/v1/transcripts', batch, keyed('~'.repeat(255)));
    assert.equal(answer.status, 200);
  });

  it('stores a permanent refusal, and repeats it with the request id of the repeat', async () => {
    let asked = 0;
    await using edge = await startEdge({
      commands: {
        readTranscript: async () => {
          asked += 1;
          throw new Refusal('VIDEO_NOT_FOUND', 'No.');
        },
      },
    });
    const first = await edge.get('/v1/transcripts/x', keyed('k'));
    const again = await edge.get('/v1/transcripts/x', keyed('k'));
    assert.equal(again.status, 404);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.headers.get('x-credits-charged'), '0');
    const { request_id: ofFirst, ...refusal } = await errorOf(first);
    const { request_id: ofRepeat, ...repeated } = await errorOf(again);
    assert.deepEqual(repeated, refusal);
    assert.notEqual(ofRepeat, ofFirst);
    assert.equal(ofRepeat, again.headers.get('x-request-id'));
    assert.equal(asked, 1);
  });

  for (const code of ['INSUFFICIENT_CREDITS', 'PLATFORM_BLOCKED', 'SERVICE_UNAVAILABLE'] as const) {
    it(`may be sent again after ${code}, as the same operation`, async () => {
      const deduplicationKeys: string[] = [];
      await using edge = await startEdge({
        commands: {
          readBatch: async ({ deduplicationKey }) => {
            deduplicationKeys.push(deduplicationKey);
            if (deduplicationKeys.length === 1) throw new Refusal(code, 'Not now.');
            return { creditsCharged: 1, eventId: 'evt_1', items: [] };
          },
        },
      });
      assert.notEqual((await edge.post('/v1/transcripts', batch, keyed('k'))).status, 200);
      const again = await edge.post('/v1/transcripts', batch, keyed('k'));
      assert.equal(again.status, 200);
      assert.equal(again.headers.has('idempotent-replayed'), false);
      assert.equal(new Set(deduplicationKeys).size, 1);
    });
  }

  it('is answered 503 when its response could not be stored, and may be sent again as the same operation', async () => {
    const { commands, deduplicationKeys } = charging();
    const idempotency = memoryIdempotency();
    let isBroken = true;
    await using edge = await startEdge({
      commands,
      idempotency: {
        ...idempotency,
        complete: async (scope, deduplicationKey, answer) => {
          if (!isBroken) return idempotency.complete(scope, deduplicationKey, answer);
          await idempotency.release(scope, deduplicationKey);
          throw new Error('the connection broke');
        },
      },
    });
    const refused = await edge.post('/v1/transcripts', batch, keyed('k'));
    assert.equal(refused.status, 503);
    // What was charged has its receipt, although its answer is lost.
    const { details } = await errorOf(refused);
    assert.match(String(details?.['receipt']), /^\/v1\/receipts\/\w+/);
    assert.equal(details?.['reason'], 'answer_lost');
    isBroken = false;
    assert.equal((await edge.post('/v1/transcripts', batch, keyed('k'))).status, 200);
    assert.equal(deduplicationKeys.length, 2);
    assert.equal(new Set(deduplicationKeys).size, 1);
  });

  it('is not stored if it was refused before its work: a 400, a 401', async () => {
    const { commands } = charging();
    await using edge = await startEdge({ commands });
    assert.equal((await edge.post('/v1/transcripts', {}, keyed('k'))).status, 400);
    assert.equal((await edge.post('/v1/transcripts', batch, { 'Idempotency-Key': 'k' })).status, 401);
    assert.equal((await edge.post('/v1/transcripts', batch, keyed('k'))).status, 200);
  });

  it('is executed again, as the same operation, when its response is too large to store', async () => {
    const deduplicationKeys: string[] = [];
    const answeredBefore: unknown[] = [];
    await using edge = await startEdge({
      commands: {
        readTranscript: async ({ deduplicationKey, wasAnswered }) => {
          deduplicationKeys.push(deduplicationKey);
          answeredBefore.push(wasAnswered);
          const text = 'a'.repeat(2_200_000);
          return { ...readReceipt, transcript, text };
        },
      },
    });
    for (const _ of [1, 2]) {
      const answer = await edge.get('/v1/transcripts/x?format=txt', keyed('k'));
      assert.equal((await answer.text()).length, 2_200_000);
    }
    assert.equal(deduplicationKeys.length, 2);
    assert.equal(new Set(deduplicationKeys).size, 1);
    assert.deepEqual(answeredBefore, [false, true]);
  });
});

import { createHash } from 'node:crypto';
import { idempotencyKey } from '../../../contract/charged.ts';
import { validationMessage } from '../../../contract/validation-messages.ts';
import type { Call } from '../../../kernel/call.ts';
import { answerLost, invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import type { MiddlewareDeps } from './dependencies.ts';
import { errorBody, errorUnder, type Failure, failureOf } from './error-response.ts';
import type { IdempotencyOutcome, IdempotencyScope, IdempotencyStore, StoredAnswer } from './idempotency-store.ts';
import { bytes, type HttpResponse, receiptPath } from './response.ts';

/** A larger response is not stored: a repeat does the work again and is not charged again. */
const maxStoredBytes = 2 * 1024 * 1024;
/** The caller must act (key, credits) or wait; the next attempt under the same key is a new one. */
const neverStored: readonly number[] = [401, 402, 409, 429];

/** Whether a response with this status is stored and replayed. */
export const isReplayed = (status: number): boolean => status < 500 && !neverStored.includes(status);

/** The idempotency key of a request, or null; throws INVALID_REQUEST for an invalid one, by the name under which it is given. */
export const idempotencyKeyOf = (given: unknown, path = 'Idempotency-Key'): string | null => {
  if (given === undefined) return null;
  const { data, error } = idempotencyKey.safeParse(given, { error: validationMessage });
  if (error === undefined) return data;
  throw invalidRequest(`${path} ${error.issues[0]?.message}.`, { path, code: 'malformed' });
};

/** Fingerprints of a request: method, address and body. */
type Fingerprints = {
  /** With sorted members. */
  readonly byName: string;
  /** Members in their order; compared only when `byName` differs. */
  readonly asSent: () => string;
};

/** SHA-256 (hex) of a request. `url` includes the query; `body` is parsed JSON or undefined. */
export const fingerprintsOf = (method: string, url: string, body: unknown): Fingerprints => {
  const digest = (json: string | undefined): string =>
    createHash('sha256')
      .update(`${method} ${url}\n${json ?? ''}`)
      .digest('hex');
  return { byName: digest(JSON.stringify(body, membersByName)), asSent: () => digest(JSON.stringify(body)) };
};

const membersByName = (_name: string, value: unknown): unknown =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));

/**
 * Runs the work once per key. A stored response is replayed for 24 hours; while the first attempt runs, repeats get
 * 409. When an attempt dies between the charge and its response, the next one does the work again under the same
 * deduplication key, so that the ledger charges once.
 *
 * A caller who hangs up does not end the work: it is charged, and its response is stored for the repeat. Otherwise each
 * repeat would begin it again.
 */
export const answerOnce = async (
  deps: Pick<MiddlewareDeps, 'idempotency' | 'isUnavailable' | 'timeLimitMs'>,
  {
    scope,
    fingerprints,
    call,
    requestId,
    reread,
  }: {
    scope: IdempotencyScope;
    fingerprints: Fingerprints;
    call: Call;
    requestId: string;
    /** Reads the response of a repeat from state; null: the stored bytes are replayed. */
    reread: (() => Promise<HttpResponse>) | null;
  },
  work: (call: Call) => Promise<HttpResponse>,
): Promise<HttpResponse> => {
  const begun = await beginUnder(deps.idempotency, scope, fingerprints);
  switch (begun.outcome) {
    case 'answered': {
      if (reread === null || begun.answer.status >= 400) return replayed(begun.answer, requestId);
      const answer = await reread();
      return { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } };
    }
    case 'in_progress': {
      const message = 'The first request with this Idempotency-Key is still being processed.';
      throw new Refusal('IDEMPOTENCY_IN_PROGRESS', message, null, begun.retryAfterS);
    }
    case 'reused': {
      const message = 'This Idempotency-Key was used for another request.';
      throw new Refusal('IDEMPOTENCY_KEY_REUSED', message);
    }
    case 'begun': {
      const { deduplicationKey, wasAnswered } = begun;
      const signal = AbortSignal.timeout(deps.timeLimitMs);
      return firstAnswer(
        deps,
        scope,
        { ...call, deduplicationKey, isRepeatable: true, wasAnswered, signal },
        { work, isBodyKept: reread === null },
      );
    }
  }
};

/** Processes of the previous release store this fingerprint, so both are accepted during a rolling deployment. */
const beginUnder = async (
  store: IdempotencyStore,
  scope: IdempotencyScope,
  { byName, asSent }: Fingerprints,
): Promise<IdempotencyOutcome> => {
  const begun = await store.begin(scope, byName);
  if (begun.outcome !== 'reused') return begun;
  const sent = asSent();
  return sent === byName ? begun : store.begin(scope, sent);
};

const firstAnswer = async (
  { idempotency, isUnavailable }: Pick<MiddlewareDeps, 'idempotency' | 'isUnavailable'>,
  scope: IdempotencyScope,
  call: Call,
  { work, isBodyKept }: { work: (call: Call) => Promise<HttpResponse>; readonly isBodyKept: boolean },
): Promise<HttpResponse> => {
  let answer: HttpResponse;
  try {
    answer = await work(call);
  } catch (error) {
    const refusal = refusalToKeep(failureOf(error, isUnavailable), call.requestId);
    const ended =
      refusal === null
        ? idempotency.release(scope, call.deduplicationKey)
        : idempotency.complete(scope, call.deduplicationKey, storedOf(refusal));
    await ended.catch(() => undefined);
    throw error;
  }
  const kept = isBodyKept ? answer : { ...answer, body: null };
  await keepOrRefuse(idempotency, scope, call.deduplicationKey, kept);
  return answer;
};

/**
 * A response that leaves no record is not sent: a later attempt could not tell whether its charge paid for an answer.
 * The lease expires, and the next attempt finds the charge by its deduplication key.
 */
export const keepOrRefuse = async (
  store: IdempotencyStore,
  scope: IdempotencyScope,
  deduplicationKey: string,
  answer: HttpResponse,
): Promise<void> => {
  try {
    await store.complete(scope, deduplicationKey, storedOf(answer));
  } catch {
    const message = 'The response could not be stored. Send the same request again: it is charged once.';
    const { 'X-Credits-Event': event, 'X-Credits-Charged': charged = '0' } = answer.headers;
    const receipt = typeof event === 'string' && charged !== '0' ? { receipt: receiptPath(event) } : {};
    throw new Refusal('SERVICE_UNAVAILABLE', message, { ...answerLost, ...receipt }, 5);
  }
};

/** A permanent refusal as a response to store; null for a temporary one, and for a fault. */
const refusalToKeep = (failure: Failure, requestId: string): HttpResponse | null => {
  if (!isReplayed(failure.status)) return null;
  return bytes(errorBody(failure, requestId), { status: failure.status });
};

/** A response as it is stored, without cookies; null: it is too large. */
export const storedOf = ({ status, contentType, body, headers }: HttpResponse): StoredAnswer | null => {
  const content = typeof body === 'string' ? Buffer.from(body) : (body ?? Buffer.alloc(0));
  if (content.length > maxStoredBytes) return null;
  const kept: Record<string, string> = contentType === null ? {} : { 'Content-Type': contentType };
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && name !== 'Set-Cookie') kept[name] = value;
  }
  return { status, headers: kept, body: content };
};

/** A replayed refusal has the request id of the repeat; everything else is the same to the byte. */
const replayed = ({ status, headers, body }: StoredAnswer, requestId: string): HttpResponse => {
  const { 'Content-Type': contentType = null, ...rest } = headers;
  const shown = status < 400 ? body : errorUnder(requestId, body);
  return {
    status,
    contentType,
    body: contentType === null ? null : shown,
    headers: { ...rest, 'Idempotent-Replayed': 'true' },
    isCacheHit: null,
  };
};

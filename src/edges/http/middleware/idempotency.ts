import { createHash } from 'node:crypto';
import type { Call } from '../../../kernel/call.ts';
import type {
  IdempotencyOutcome,
  IdempotencyScope,
  IdempotencyStore,
  StoredAnswer,
} from '../../../kernel/idempotency.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import type { MiddlewareDeps } from './dependencies.ts';
import { errorBody, errorUnder, type Failure, failureOf } from './error-response.ts';
import { bytes, type HttpResponse } from './response.ts';

const keyForm = /^[\x21-\x7e]{1,255}$/;
/** An answer above this is not kept: the same key does the work again and is not charged again. */
const maxStoredBytes = 2 * 1024 * 1024;
/** The sender has to act (key, credits) or wait; the next try under the same key is a new one. */
const neverStored: readonly number[] = [401, 402, 409, 429];

/** Whether an answer with this status is given again under its key. */
export const isReplayed = (status: number): boolean =>
  status < 500 && !neverStored.includes(status);

/** The key of a request, null without one; throws INVALID_REQUEST for what cannot be one. */
export const idempotencyKeyOf = (header: string | string[] | undefined): string | null => {
  if (header === undefined) return null;
  if (typeof header === 'string' && keyForm.test(header)) return header;
  const message = 'Idempotency-Key takes 1 to 255 visible ASCII characters.';
  throw invalidRequest(message, { path: 'Idempotency-Key', code: 'malformed' });
};

/** Each says whether two requests are the same: method, address and what the body holds. */
type Fingerprints = {
  /** In whatever order its members came. */
  readonly byName: string;
  /** Asked for only where the other one does not find its request. */
  readonly asSent: () => string;
};

export const fingerprintsOf = (method: string, url: string, body: unknown): Fingerprints => {
  const digest = (json: string | undefined): string =>
    createHash('sha256')
      .update(`${method} ${url}\n${json ?? ''}`)
      .digest('hex');
  return {
    byName: digest(JSON.stringify(body, membersByName)),
    asSent: () => digest(JSON.stringify(body)),
  };
};

const membersByName = (_name: string, value: unknown): unknown =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));

/**
 * Does the work once per key. An answer that is kept is given again for 24 hours; while the first attempt
 * runs, others hear 409. When an attempt dies between the charge and its answer, the next one does the work
 * again under the same operation key, so that the ledger charges it once.
 */
export const answerOnce = async (
  deps: Pick<MiddlewareDeps, 'idempotency' | 'isUnavailable'>,
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
    /** What answers a repeat where the answer is state that can be read again; null: the kept bytes do. */
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
      const message = 'The first request with this Idempotency-Key is still being answered.';
      throw new Refusal('IDEMPOTENCY_IN_PROGRESS', message, null, begun.retryAfterS);
    }
    case 'reused': {
      const message = 'This Idempotency-Key was used for another request.';
      throw new Refusal('IDEMPOTENCY_KEY_REUSED', message);
    }
    case 'begun':
      return firstAnswer(
        deps,
        scope,
        { ...call, operationKey: begun.operationKey, isRepeatable: true },
        { work, isBodyKept: reread === null },
      );
  }
};

/** A process of the version before keeps what was sent: while a release is rolled out, its requests are found by that. */
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
  {
    work,
    isBodyKept,
  }: { work: (call: Call) => Promise<HttpResponse>; readonly isBodyKept: boolean },
): Promise<HttpResponse> => {
  let answer: HttpResponse;
  try {
    answer = await work(call);
  } catch (error) {
    const failure = failureOf(error, isUnavailable);
    await keep(idempotency, scope, call.operationKey, refusalToKeep(failure, call.requestId));
    throw error;
  }
  const kept = isBodyKept ? answer : { ...answer, body: null };
  await keep(idempotency, scope, call.operationKey, kept);
  return answer;
};

/**
 * The answer of this request stands, whether it can be kept or not: when the store fails now, the lease
 * runs out and the next attempt finds the charge by its operation key.
 */
const keep = async (
  store: IdempotencyStore,
  scope: IdempotencyScope,
  operationKey: string,
  answer: HttpResponse | null,
): Promise<void> => {
  const stored = answer === null ? null : storedOf(answer);
  const kept =
    stored === null
      ? store.release(scope, operationKey)
      : store.complete(scope, operationKey, stored);
  await kept.catch(() => undefined);
};

/** A refusal that will be the same again; null for one that may pass, and for a fault. */
const refusalToKeep = (failure: Failure, requestId: string): HttpResponse | null => {
  if (!isReplayed(failure.status)) return null;
  return bytes(errorBody(failure, requestId), { status: failure.status });
};

const storedOf = ({ status, contentType, body, headers }: HttpResponse): StoredAnswer | null => {
  const content = typeof body === 'string' ? Buffer.from(body) : (body ?? Buffer.alloc(0));
  if (content.length > maxStoredBytes) return null;
  const kept: Record<string, string> = contentType === null ? {} : { 'Content-Type': contentType };
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') kept[name] = value;
  }
  return { status, headers: kept, body: content };
};

/** A refusal names the request that it answers, which is the repeat; everything else is the same to the byte. */
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

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { idempotencyKey } from '../../../contract/charged.ts';
import type { Call } from '../../../kernel/call.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import type { MiddlewareDeps } from '../middleware/dependencies.ts';
import { failureOf } from '../middleware/error-response.ts';
import { keepOrRefuse, storedOf } from '../middleware/idempotency.ts';
import type {
  IdempotencyOutcome,
  IdempotencyScope,
  IdempotencyStore,
  StoredAnswer,
} from '../middleware/idempotency-store.ts';
import type { HttpResponse } from '../middleware/response.ts';
import type { RequestInfo } from '../middleware/route.ts';
import { daysOld, isOnceToken } from './parts/form-key.ts';

/** How long a secret is shown again to the session that it was shown to. */
const secretShownMs = 5 * 60_000;
/** How long the second of two requests with one form waits for the answer of the first. */
const longestWaitMs = 10_000;
/** Stored with a page that has a secret: the session that it was shown to, and when. Never sent. */
const [shownTo, shownAt] = ['Shown-To', 'Shown-At'];

/** Fields that no page shows again and no digest covers: a digest of a password could be guessed from. */
export const secretFields: ReadonlySet<string> = new Set(['password', 'current', 'next', 'secret']);

/** Whether a form has a field that no page shows again. */
export const hasSecretField = (form: URLSearchParams): boolean =>
  [...form.keys()].some((name) => secretFields.has(name));

/**
 * A refusal after which something may have been done under the `once` of the form. The form is not shown again: it would
 * have another `once`, and do that a second time.
 */
export class OnceRefusal extends Refusal {}

/** A form as it was sent. */
export type SentForm = {
  /** Null: the form is not of an account. */
  readonly accountId: string | null;
  readonly sessionId: string | null;
  /** Method and path template. */
  readonly route: string;
  readonly form: URLSearchParams;
  readonly requestInfo: Pick<RequestInfo, 'request' | 'signal'>;
};

export type FormAnswer = { readonly response: HttpResponse; readonly hasSecret: boolean };

/** What answers a form once. */
export type FormDeps = Pick<MiddlewareDeps, 'clock' | 'idempotency' | 'isUnavailable'>;

type FormWork = {
  /** `attempt`: what all attempts of one form have in common; null: a form without `once`. */
  readonly work: (
    attempt: Pick<Call, 'deduplicationKey' | 'isRepeatable' | 'wasAnswered'> | null,
  ) => Promise<FormAnswer>;
  /** Answers a repeat from state: in place of the stored answer, and of a secret that is not shown again. Null: the stored answer. */
  readonly again: (() => Promise<HttpResponse>) | null;
};

/**
 * Does the work of a form once, however often it is sent with its `once`: a repeat gets the first answer for 24 hours. A
 * page with a secret is given again for five minutes, to the same session. The answers are those of `Idempotency-Key`:
 * encrypted, in the database, for all processes. A form that was refused below 500 at its first attempt changed nothing, and
 * may be sent again with other fields. Every other refusal is an `OnceRefusal`: the next attempt, with the same fields, has
 * the same deduplication key.
 */
export const answerFormOnce = async (
  deps: FormDeps,
  sent: SentForm,
  { work, again }: FormWork,
): Promise<HttpResponse> => {
  const { clock } = deps;
  const key = sent.form.get('once') ?? '';
  if (key === '') return (await work(null)).response;
  if (!idempotencyKey.safeParse(key).success) {
    return asOnceRefusal(invalidRequest('The form is incomplete.', { path: 'once', code: 'malformed' }));
  }
  if (isOnceToken(key) && daysOld(key, clock()) > 0) {
    const message = 'This form is more than a day old. Load its page again.';
    return asOnceRefusal(invalidRequest(message, { path: 'once', code: 'expired' }));
  }
  const scope = { accountId: sent.accountId ?? 'anonymous', route: `page ${sent.route}`, key };
  const begun = await beginOrWait(deps.idempotency, scope, sent);
  switch (begun.outcome) {
    case 'reused':
      return asOnceRefusal(new Refusal('IDEMPOTENCY_KEY_REUSED', 'This form was sent before with other fields.'));
    case 'in_progress': {
      const message = 'This form is still being processed.';
      return asOnceRefusal(new Refusal('IDEMPOTENCY_IN_PROGRESS', message, null, begun.retryAfterS));
    }
    case 'answered':
      return again === null || isSecretShown(begun.answer, sent, clock())
        ? responseOf(begun.answer)
        : again().catch(asOnceRefusal);
    case 'begun': {
      const { deduplicationKey, wasAnswered } = begun;
      return firstAnswer(deps, { scope, deduplicationKey, sent }, async () => {
        const answer = await work({ deduplicationKey, isRepeatable: true, wasAnswered });
        assert(again !== null || !answer.hasSecret, 'a page with a secret says what a repeat gets');
        return answer;
      });
    }
  }
};

/** Throws a refusal as one after which the form is not shown again, and any other error as it is. */
const asOnceRefusal = (error: unknown): never => {
  if (!(error instanceof Refusal)) throw error;
  throw new OnceRefusal(error.code, error.message, error.details, error.retryAfterS);
};

/** Path, query and fields, with their names and in their order. */
const fingerprintOf = ({ form, requestInfo }: SentForm): string => {
  const fields = [...form].filter(([name]) => !secretFields.has(name));
  return createHash('sha256')
    .update(JSON.stringify([requestInfo.request.url, fields]))
    .digest('hex');
};

/** A form that is sent twice at once, by a double click, is answered once to both. */
const beginOrWait = async (
  store: IdempotencyStore,
  scope: IdempotencyScope,
  sent: SentForm,
): Promise<IdempotencyOutcome> => {
  const fingerprint = fingerprintOf(sent);
  const { signal } = sent.requestInfo;
  let waitedMs = 0;
  for (let delayMs = 50; ; delayMs = Math.min(2 * delayMs, 1_000)) {
    const begun = await store.begin(scope, fingerprint);
    if (begun.outcome !== 'in_progress' || waitedMs >= longestWaitMs) return begun;
    await pause(delayMs, undefined, { signal });
    waitedMs += delayMs;
  }
};

const isSecretShown = ({ headers }: StoredAnswer, { sessionId }: SentForm, now: Date): boolean =>
  headers[shownTo] !== undefined &&
  headers[shownTo] === sessionId &&
  now.getTime() - Date.parse(headers[shownAt] ?? '') < secretShownMs;

const responseOf = ({ status, headers, body }: StoredAnswer): HttpResponse => {
  const { 'Content-Type': contentType = null, [shownTo]: _to, [shownAt]: _at, ...rest } = headers;
  const repeated = { ...rest, 'Idempotent-Replayed': 'true' };
  return { status, contentType, body, headers: repeated, isCacheHit: null };
};

type FirstAttempt = { readonly scope: IdempotencyScope; readonly deduplicationKey: string; readonly sent: SentForm };

const firstAnswer = async (
  { clock, idempotency, isUnavailable }: FormDeps,
  { scope, deduplicationKey, sent: { sessionId } }: FirstAttempt,
  work: () => Promise<FormAnswer>,
): Promise<HttpResponse> => {
  const end = (ended: Promise<unknown>): Promise<unknown> => ended.catch(() => undefined);
  let answer: FormAnswer;
  try {
    answer = await work();
  } catch (error) {
    if (failureOf(error, isUnavailable).status >= 500) await end(idempotency.release(scope, deduplicationKey));
    else if (await idempotency.forget(scope, deduplicationKey).catch(() => false)) throw error;
    return asOnceRefusal(error);
  }
  const { response, hasSecret } = answer;
  if (response.status >= 400) await end(idempotency.forget(scope, deduplicationKey));
  else if (response.stream !== undefined) await end(idempotency.complete(scope, deduplicationKey, null));
  else if (!hasSecret) await keepOrRefuse(idempotency, scope, deduplicationKey, response).catch(asOnceRefusal);
  else {
    // A secret is shown once: it is answered even if it is not kept.
    const shown = sessionId !== null ? { [shownTo]: sessionId, [shownAt]: clock().toISOString() } : {};
    const stored = storedOf({ ...response, headers: { ...response.headers, ...shown } });
    await end(idempotency.complete(scope, deduplicationKey, stored));
  }
  return response;
};

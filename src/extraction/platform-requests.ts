import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMs } from '../kernel/clock.ts';
import type { RequestAllowance } from './captions/caption-track.ts';
import { type Failure, type FailureReason, failure, failureRow, refusalOf } from './failures.ts';
import { type Platform, PlatformFault, type PlatformRequest, type PlatformResponse } from './platform.ts';
import type { EngineSettings } from './settings.ts';

/** The requests that a piece of work may make are made. */
export class AllowanceSpentError extends Error {
  override readonly name = 'AllowanceSpentError';
}

/** The time limit of one extraction, and the signal that ends it earlier. */
export type Budget = {
  readonly signal: AbortSignal;
  /** Unset: as many as there is time for. */
  readonly requests?: RequestAllowance | undefined;
  /** Milliseconds left, 0 or less when the time is up. */
  readonly leftMs: () => number;
};

/** A budget that ends `deadlineMs` milliseconds from now, or with `signal`. */
export const budgetOf = (signal: AbortSignal, deadlineMs: number, requests?: RequestAllowance): Budget => {
  const end = elapsedMs() + deadlineMs;
  return { signal, requests, leftMs: () => end - elapsedMs() };
};

/** The platform, and how and how long it may be asked. */
export type Asking = {
  readonly platform: Platform;
  /** A number in [0, 1), for jitter alone. */
  readonly random: () => number;
  readonly settings: EngineSettings;
  readonly budget: Budget;
};

/** Before a second round (1) and later ones: twice as long each time, never beyond the budget. */
export const backOff = async ({ random, settings, budget }: Asking, round: number): Promise<void> => {
  const wanted = settings.backoffMs * 2 ** (round - 1) * (0.5 + random());
  await pause(Math.max(0, Math.min(wanted, budget.leftMs())), undefined, { signal: budget.signal });
};

const tries = 3;

/** The first result that needs no further try, or the last one that the budget allows. */
export const tryAgain = async <Result>(
  asking: Asking,
  once: () => Promise<Result>,
  isUnfinished: (result: Result) => boolean,
): Promise<Result> => {
  for (let round = 1; ; round += 1) {
    const result = await once();
    if (!isUnfinished(result) || round === tries || asking.budget.leftMs() <= 0) return result;
    await backOff(asking, round);
  }
};

/** One request: the answer, or how none came. Throws only the reason of the caller's abort, a spent allowance, and faults. */
export const ask = async (
  { platform, settings, budget }: Asking,
  request: PlatformRequest,
  client: string,
  timeoutMs = settings.requestTimeoutMs,
): Promise<PlatformResponse | Failure> => {
  const facts = { status: null, reason: null, subreason: null, client };
  const left = Math.min(timeoutMs, budget.leftMs());
  if (left <= 0) return failure('timeout', facts);
  budget.signal.throwIfAborted();
  if (budget.requests !== undefined) {
    if (budget.requests.left <= 0) throw new AllowanceSpentError('no further request is allowed');
    budget.requests.left -= 1;
  }
  try {
    return await platform.request(request, { signal: budget.signal, timeoutMs: left });
  } catch (error) {
    budget.signal.throwIfAborted();
    if (!(error instanceof PlatformFault)) throw error;
    return failure(error.kind === 'busy' ? 'egress_busy' : error.kind, facts);
  }
};

export const isAnswer = (value: PlatformResponse | Failure): value is PlatformResponse => 'egress' in value;

const blocks: ReadonlySet<FailureReason> = new Set(['bot_check', 'egress_refused', 'rate_limited']);

/**
 * Reports a block to the platform, so that the next request goes another way. Throws the refusal at once when the
 * platform asks to slow down and there is no other egress: more requests would only make it worse.
 */
export const heed = ({ platform }: Asking, { egress }: PlatformResponse, found: Failure): void => {
  if (!blocks.has(found.reason)) return;
  const waitS = found.retryAfterS ?? failureRow(found.reason).retryAfterS ?? 60;
  const isOtherWay = platform.penalize(egress, waitS * 1000);
  if (found.reason === 'rate_limited' && !isOtherWay) throw refusalOf(found);
};

/** Failures that may be gone a moment later. */
export const isPassing = ({ reason }: Failure): boolean =>
  failureRow(reason).code === 'PLATFORM_TIMEOUT' || reason === 'egress_busy';

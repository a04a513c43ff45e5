import { type Call, callerOf } from '../kernel/call.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Semaphore } from '../kernel/semaphore.ts';
import type { AbandonedWork } from './abandoned-work.ts';

/** Says that a part of the work has begun, and the credits that it is worth; a part may be named again. */
export type Begun = (part: string, credits: number) => void;

/** Notes what has begun, and what all of it is worth. */
export const begunWork = (): { readonly begun: Begun; readonly credits: () => number } => {
  const parts = new Map<string, number>();
  return {
    begun: (part, credits) => {
      parts.set(part, Math.max(credits, parts.get(part) ?? 0));
    },
    credits: () => parts.values().reduce((sum, worth) => sum + worth, 0),
  };
};

/** Admits work that costs the service more than a read: extracts, models, the recognition of speech. */
export type AdmitWork = <Result>(call: Call, work: (begun: Begun) => Promise<Result>) => Promise<Result>;

/** Work of callers that a process admits at once: in all, and of one caller. */
export const admittedAtOnce = { total: 200, perKey: 20 } as const;

const fullWaitS = 2;

/**
 * Runs work within the bounds of its caller, before anything is read or charged. What had begun when the caller left counts as
 * abandoned; a request whose time was up did not leave. Refusals: SERVICE_UNAVAILABLE while too much work waits, RATE_LIMITED
 * after too much abandoned work, those of the work.
 */
export const admitWork =
  ({ places, abandoned }: { readonly places: Semaphore; readonly abandoned: AbandonedWork }): AdmitWork =>
  async (call, work) => {
    const caller = callerOf(call);
    using place = places.tryAcquire(caller);
    if (place === null) {
      const message = 'Too many operations are waiting. Please try again.';
      throw new Refusal('SERVICE_UNAVAILABLE', message, null, fullWaitS);
    }
    await abandoned.check(caller);
    const { begun, credits } = begunWork();
    try {
      return await work(begun);
    } catch (error) {
      // Nobody waits for an answer, and without the database nothing more is begun.
      if (hasLeft(call)) await abandoned.record(caller, credits()).catch(() => undefined);
      throw error;
    }
  };

const hasLeft = ({ signal }: Call): boolean =>
  signal.aborted && !(signal.reason instanceof Error && signal.reason.name === 'TimeoutError');

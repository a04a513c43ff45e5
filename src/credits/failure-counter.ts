import type { Call } from '../kernel/call.ts';
import { newUuid } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import { keyIdOf, type LedgerContext } from './ledger-context.ts';
import type { UsageKind } from './prices.ts';

/** A request that failed, with the code of its answer. */
export type FailedRequest = { readonly operation: UsageKind; readonly code: string };

export type FailureCounter = AsyncDisposable & { count(context: LedgerContext, failed: FailedRequest): Promise<void> };

/** After one event for an account, key, kind of usage and code, the next one is written this much later. */
const intervalMs = 60_000;
/** Counters at a time; a failure beyond them gets an event of its own. */
const maxCounters = 10_000;

type FailureCount = { readonly context: LedgerContext; readonly requests: number };

type Counter = {
  readonly failed: FailedRequest;
  /** Of the newest failure. */
  context: LedgerContext;
  /** Failures that no event counts yet. */
  waiting: number;
  /** An event that the log may not have: it is sent again under the same id. */
  unconfirmed: FailureCount | null;
};

/**
 * Counts failed requests in events, at most one a minute in each process for an account, key, kind of usage and code: the
 * first failure is stored at once, those of the minute after it in one event with their number. Disposing stores what is
 * counted so far. A process that crashes loses the failures that it has not stored, which is less than a minute of them.
 */
export const failureCounter = (
  record: (context: LedgerContext, ended: FailedRequest & { readonly requests: number }) => Promise<unknown>,
): FailureCounter => {
  const counters = new Map<string, Counter>();
  const timers = new Set<NodeJS.Timeout>();

  const store = async (counter: Counter): Promise<void> => {
    const counted = counter.unconfirmed ?? takeWaiting(counter);
    counter.unconfirmed = counted;
    try {
      await record(counted.context, { ...counter.failed, requests: counted.requests });
    } catch (error) {
      // A fault may pass: the event is sent again with the next one. A refusal, of an account that is not there, stays.
      if (!(error instanceof Refusal)) return;
    }
    if (counter.unconfirmed === counted) counter.unconfirmed = null;
  };

  const storeLater = (name: string, counter: Counter): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (isStored(counter)) {
        counters.delete(name);
        return;
      }
      storeLater(name, counter);
      void store(counter);
    }, intervalMs).unref();
    timers.add(timer);
  };

  return {
    count: async (context, failed) => {
      const name = [context.accountId, keyIdOf(context), failed.operation, failed.code].join('|');
      const known = counters.get(name);
      if (known !== undefined) {
        known.waiting += 1;
        known.context = withoutSignal(context);
        return;
      }
      const counter = { failed, context: withoutSignal(context), waiting: 1, unconfirmed: null };
      if (counters.size < maxCounters) {
        counters.set(name, counter);
        storeLater(name, counter);
      }
      await store(counter);
    },
    [Symbol.asyncDispose]: async () => {
      for (const timer of timers) clearTimeout(timer);
      for (const counter of counters.values()) {
        if (counter.unconfirmed !== null) await store(counter);
        if (counter.waiting > 0) await store(counter);
      }
      counters.clear();
    },
  };
};

const isStored = ({ waiting, unconfirmed }: Counter): boolean => waiting === 0 && unconfirmed === null;

/** An event of its own: no request that is repeated under its key is taken for one that is counted already. */
const takeWaiting = (counter: Counter): FailureCount => {
  const counted = { context: { ...counter.context, deduplicationKey: newUuid() }, requests: counter.waiting };
  counter.waiting = 0;
  return counted;
};

/** A counter outlives its requests, and keeps nothing of them alive. */
const withoutSignal = ({ signal: _, ...context }: LedgerContext & Partial<Pick<Call, 'signal'>>): LedgerContext =>
  context;

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Posted } from '#src/credits/keep-ledger.ts';
import { memoryEventLog } from '#src/eventlog/memory.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import {
  callOf,
  ledgerOn,
  openBook,
  standingClock,
  transcriptCharge,
} from '#test/support/credits.ts';

const day = 86_400_000;
/** The account of a history where a test names none. */
export const account = 'acc_1';

/** What somebody does to an account. */
export type Step =
  | { do: 'charge'; operation: number; amount: number }
  | { do: 'grant'; reference: number; amount: number; lifeDays: number | null }
  | { do: 'reserve'; job: number; amount: number }
  | { do: 'settle'; job: number; item: number }
  | { do: 'release'; job: number; item: number | null }
  | { do: 'refund'; operation: number; amount: number }
  | { do: 'fail'; operation: number }
  | { do: 'plan'; plan: 'starter' | 'pro' | 'enterprise'; operation: number }
  | { do: 'wait'; days: number };

/** A step in one of two processes. */
export type Placed = { process: 0 | 1; step: Step };

const small = fc.integer({ min: 0, max: 5 });
const amount = fc.integer({ min: 1, max: 700 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('charge' as const), operation: small, amount }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      reference: small,
      amount,
      lifeDays: fc.option(fc.integer({ min: 1, max: 70 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reserve' as const), job: small, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('settle' as const), job: small, item: small }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('release' as const),
      job: small,
      item: fc.option(small),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('refund' as const), operation: small, amount }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), operation: small }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('plan' as const),
      plan: fc.constantFrom('starter' as const, 'pro' as const, 'enterprise' as const),
      operation: small,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      days: fc.integer({ min: 1, max: 40 }),
    }),
  },
);
const placed: fc.Arbitrary<Placed> = fc.record({
  process: fc.constantFrom(0 as const, 1 as const),
  step,
});
/** Groups of steps: those of one group run at the same time, spread over two processes. */
export const history = fc.array(fc.array(placed, { minLength: 1, maxLength: 6 }), {
  maxLength: 14,
});

export type Answer = { step: Step; posted: Posted };

/** Runs a history on one log through the ledgers of two processes, and returns every answer. */
export const played = async (groups: readonly (readonly Placed[])[]) => {
  const { clock, moveBy } = standingClock('2026-01-31T09:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, account, { plan: 'starter', clock });
  const processes = [
    ledgerOn(log, { clock, maxEvents: 40 }),
    ledgerOn(log, { clock, maxEvents: 40 }),
  ];
  const answers: Answer[] = [];
  for (const group of groups) {
    for (const { step } of group) if (step.do === 'wait') moveBy(step.days * day);
    await Promise.all(
      group.map(async ({ process, step }) => {
        const posted = await ran(processes[process], step, clock).catch((error: unknown) => {
          if (error instanceof Refusal) return null;
          throw error;
        });
        if (posted !== null) answers.push({ step, posted });
      }),
    );
  }
  return { log, answers };
};

/** One step on the ledger of one process. */
export const ran = (
  ledger: ReturnType<typeof ledgerOn> | undefined,
  step: Step,
  clock: () => Date,
  accountId = account,
): Promise<Posted | null> => {
  assert(ledger !== undefined);
  const call = (key: string) => callOf(accountId, { operationKey: key });
  const jobOf = (job: number) => {
    return { reservationId: `rsv_${accountId}_${job}`, jobId: `job_${accountId}_${job}` };
  };
  switch (step.do) {
    case 'charge':
      return ledger.charge(call(`charge ${step.operation}`), [transcriptCharge(step.amount)]);
    case 'grant': {
      const expiresAt =
        step.lifeDays === null
          ? null
          : new Date(clock().getTime() + step.lifeDays * day).toISOString();
      const { amount, reference } = step;
      return ledger.grant(call('grant'), { reference: `${reference}`, amount, expiresAt });
    }
    case 'reserve':
      return ledger.reserve(call('reserve'), { ...jobOf(step.job), amount: step.amount });
    case 'settle':
      return ledger.settleItem(call('settle'), {
        ...jobOf(step.job),
        itemId: `itm_${step.item}`,
        attempt: 1,
        operation: 'job_item',
        amount: 1,
        videoId: null,
      });
    case 'release':
      return ledger.release(call('release'), {
        ...jobOf(step.job),
        itemId: step.item === null ? null : `itm_${step.item}`,
        amount: step.item === null ? null : 1,
        why: step.item === null ? 'job_ended' : 'item_failed',
      });
    case 'refund':
      return refunded(ledger, step, accountId);
    case 'fail':
      return ledger.record(call(`fail ${step.operation}`), {
        operation: 'transcript',
        code: 'VIDEO_NOT_FOUND',
      });
    case 'plan':
      return ledger.assignPlan(call(`plan ${step.operation}`), step.plan);
    case 'wait':
      return ledger.keepBook(call('wait'));
  }
};

const refunded = async (
  ledger: ReturnType<typeof ledgerOn>,
  { operation, amount }: Extract<Step, { do: 'refund' }>,
  accountId: string,
): Promise<Posted> => {
  // A charge that is there already answers with its id; one that is not is made.
  const origin = callOf(accountId, { operationKey: `charge ${operation}` });
  const { eventId } = await ledger.charge(origin, [transcriptCharge(1)]);
  assert(eventId !== null);
  const call = callOf(accountId, { operationKey: `refund ${operation} ${amount}` });
  return ledger.refund(call, { chargeId: eventId, amount, why: 'late' });
};

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { chargeIdOf } from '#src/credits/charge-credits.ts';
import { type CreditsEvent, evolve, initialState, type State } from '#src/credits/credits.ts';
import { resolutionIdOf } from '#src/credits/ledger/event-ids.ts';
import { ledgerFold } from '#src/credits/ledger/ledger-decider.ts';
import type { LedgerResult } from '#src/credits/ledger/ledger-result.ts';
import { type Bucket, postingsOf } from '#src/credits/ledger/postings.ts';
import { planOf } from '#src/credits/plans/plans.ts';
import type { EventLog, RecordedEvent } from '#src/eventlog/event-log.ts';
import { genesisHash, verifyChain } from '#src/eventlog/hash-chain.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { booksOf, callOf, foldOf, ledgerOn, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const day = 86_400_000;
const account = 'acc_1';

/** `isCapped`: by a key that may spend no more than `cap` in a period. */
type Step =
  | { do: 'charge'; operation: number; amount: number; isCapped: boolean }
  | { do: 'grant'; reference: number; amount: number; lifeDays: number | null }
  | { do: 'reserve'; job: number; amount: number; isCapped: boolean }
  | { do: 'settle'; job: number; item: number }
  | { do: 'release'; job: number; item: number | null }
  | { do: 'refund'; operation: number; amount: number | null }
  | { do: 'refund item'; job: number; item: number }
  | { do: 'correct'; operation: number; amount: number; isTaken: boolean }
  | { do: 'fail'; operation: number }
  | { do: 'plan'; plan: 'starter' | 'pro' | 'enterprise'; operation: number }
  | { do: 'wait'; days: number };

type PlannedStep = { process: 0 | 1; step: Step };

const capped = { keyId: 'key_capped', cap: 600 };
const small = fc.integer({ min: 0, max: 3 });
const operation = fc.integer({ min: 0, max: 5 });
/** Round ones meet: they add up to what a plan includes, and two grants ask for the same. */
const amount = fc.oneof(fc.integer({ min: 1, max: 700 }), fc.constantFrom(100, 300, 500));
const isCapped = fc.boolean();
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('charge' as const), operation, amount, isCapped }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      reference: small,
      amount,
      lifeDays: fc.option(fc.integer({ min: 1, max: 70 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reserve' as const), job: small, amount, isCapped }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const), job: small, item: small }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), job: small, item: fc.option(small) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('refund' as const), operation, amount: fc.option(amount) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refund item' as const), job: small, item: small }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('correct' as const), operation, amount, isTaken: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), operation }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('plan' as const),
      plan: fc.constantFrom('starter' as const, 'pro' as const, 'enterprise' as const),
      operation,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 40 }) }) },
);
const placed: fc.Arbitrary<PlannedStep> = fc.record({ process: fc.constantFrom(0 as const, 1 as const), step });
/** Groups of steps: those of one group run at the same time, spread over two processes. `bound`: that of a book. */
type History = {
  readonly plan: 'starter' | 'enterprise';
  readonly bound: number;
  readonly groups: readonly (readonly PlannedStep[])[];
};
const history: fc.Arbitrary<History> = fc.record({
  plan: fc.constantFrom('starter', 'starter', 'enterprise'),
  bound: fc.constantFrom(6, 40),
  groups: fc.array(fc.array(placed, { minLength: 1, maxLength: 6 }), { maxLength: 25, size: 'max' }),
});
/** One step at a time on a limited plan, whose credits are soon used up: then those are that never expire. */
const giftsAndRefunds: typeof history = fc.record({
  plan: fc.constant('starter'),
  bound: fc.constantFrom(6, 40),
  groups: fc.array(
    placed
      .filter(({ step }) => step.do !== 'plan' && step.do !== 'fail')
      .map((one): PlannedStep[] => {
        const { step } = one;
        if (step.do === 'grant') return [{ ...one, step: { ...step, lifeDays: null } }];
        if (step.do === 'refund' && step.amount !== null)
          return [{ ...one, step: { ...step, amount: 1 + (step.amount % 60) } }];
        return [one];
      }),
    { minLength: 20, maxLength: 60 },
  ),
});

type Answer = { step: Step; posted: LedgerResult };

type HistoryResult = { readonly log: EventLog; readonly answers: readonly Answer[] };

/** Runs a history on one log through the ledgers of two processes, and returns every answer. */
const play = async ({ plan, bound, groups }: History): Promise<HistoryResult> => {
  const { clock, moveBy } = manualClock('2026-01-31T09:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, account, { plan, clock });
  const processes = [ledgerOn(log, { clock, maxEvents: bound }), ledgerOn(log, { clock, maxEvents: bound })];
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

const known = new Map<string, Promise<HistoryResult>>();

/** The properties look at the same histories: each is played once. */
const played = (history: History): Promise<HistoryResult> => {
  const name = JSON.stringify(history);
  const playing = known.get(name) ?? play(history);
  known.set(name, playing);
  return playing;
};

const ran = (
  ledger: ReturnType<typeof ledgerOn> | undefined,
  step: Step,
  clock: () => Date,
): Promise<LedgerResult | null> => {
  assert(ledger !== undefined);
  const call = (key: string, step?: { readonly isCapped: boolean }) =>
    callOf(account, {
      deduplicationKey: key,
      ...(step?.isCapped ? { actor: { type: 'key', id: capped.keyId }, capCredits: capped.cap } : {}),
    });
  switch (step.do) {
    case 'charge':
      return ledger.charge(call(`charge ${step.operation}`, step), [transcriptCharge(step.amount)]);
    case 'grant': {
      const expiresAt = step.lifeDays === null ? null : new Date(clock().getTime() + step.lifeDays * day).toISOString();
      const { amount, reference } = step;
      return ledger.grant(call('grant'), { reference: `${reference}`, amount, expiresAt });
    }
    case 'reserve': {
      const reservationId = `rsv_${step.job}`;
      const { amount } = step;
      const jobId = `job_${step.job}`;
      return ledger.reserve(call('reserve', step), { reservationId, jobId, amount });
    }
    case 'settle':
      return ledger.settleItem(call('settle'), {
        reservationId: `rsv_${step.job}`,
        jobId: `job_${step.job}`,
        itemId: `itm_${step.item}`,
        attempt: 1,
        operation: 'job_item',
        amount: 1,
        videoId: null,
      });
    case 'release':
      return ledger.release(call('release'), {
        reservationId: `rsv_${step.job}`,
        jobId: `job_${step.job}`,
        itemId: step.item === null ? null : `itm_${step.item}`,
        amount: step.item === null ? null : 1,
        why: step.item === null ? 'job_ended' : 'item_failed',
      });
    case 'refund':
      return ledger.refund(call(`refund ${step.operation} ${step.amount}`), {
        chargeId: chargeIdOf(call(`charge ${step.operation}`), transcriptCharge(1)),
        amount: step.amount,
        why: 'late',
      });
    case 'refund item':
      return ledger.refund(call(`refund item ${step.job} ${step.item}`), {
        chargeId: resolutionIdOf(`rsv_${step.job}`, `itm_${step.item}`),
        amount: null,
        why: 'late',
      });
    case 'correct': {
      const amount = step.isTaken ? -step.amount : step.amount;
      const entryId = chargeIdOf(call(`charge ${step.operation}`), transcriptCharge(1));
      return ledger.correct(call('correct'), {
        reference: `${step.operation} ${amount}`,
        entryId,
        amount,
        why: 'wrong',
      });
    }
    case 'fail':
      return ledger.record(call(`fail ${step.operation}`), { operation: 'transcript', code: 'VIDEO_NOT_FOUND' });
    case 'plan':
      return ledger.assignPlan(call(`plan ${step.operation}`), step.plan);
    case 'wait':
      return ledger.rollPeriod(call('wait'));
  }
};

const eventOf = ({ type, data }: RecordedEvent<CreditsEvent>) => ({ type, data }) as CreditsEvent;

const eventsOf = async (log: EventLog) => (await booksOf(log, account)).flat();

const bucketsAfter = (events: readonly CreditsEvent[]): Record<Bucket, number> => {
  const buckets = { issuer: 0, available: 0, reserved: 0, spent: 0, expired: 0 };
  for (const event of events) {
    for (const { bucket, amount } of postingsOf(event)) buckets[bucket] += amount;
  }
  return buckets;
};

/** What never expires of what an account has, jobs included. */
const lastingIn = ({ grants, reservations }: State): number =>
  [...grants, ...[...reservations.values()].flatMap(({ from }) => from)].reduce(
    (sum, { remaining, expiresAt }) => (expiresAt === null ? sum + remaining : sum),
    0,
  );

const isUnlimited = (state: State) => state.plan === 'enterprise';

const check = (
  parameters: fc.Parameters<[History]>,
  name: string,
  property: (log: EventLog, answers: readonly Answer[], history: History) => Promise<void>,
  histories = history,
) =>
  it(name, async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (one) => {
        const { log, answers } = await played(one);
        await property(log, answers, one);
      }),
      parameters,
    );
  });

/** Declares the properties of the ledger, each as a test. */
export const checkLedger = (parameters: fc.Parameters<[History]>): void => {
  describe('the ledger under random commands in two processes', () => {
    check(parameters, 'posts amounts that sum to zero with every event', async (log) => {
      for (const event of await eventsOf(log)) {
        const sum = postingsOf(eventOf(event)).reduce((total, { amount }) => total + amount, 0);
        assert.equal(sum, 0);
      }
    });

    check(parameters, 'never lets what is available or reserved fall below zero', async (log) => {
      for (const book of await booksOf(log, account)) {
        let state = initialState();
        for (const event of book) {
          state = evolve(state, eventOf(event));
          assert.ok(state.reserved >= 0);
          assert.ok(state.available >= 0 || isUnlimited(state), `${state.available} after ${event.type}`);
        }
      }
    });

    check(parameters, 'accounts for every credit that was ever granted', async (log) => {
      const { issuer, available, reserved, spent, expired } = bucketsAfter((await eventsOf(log)).map(eventOf));
      assert.equal(issuer + available + reserved + spent + expired, 0);
    });

    check(parameters, 'includes in a period never more than its largest plan does', async (log) => {
      let [largest, net] = [0, 0];
      const ofPeriod = new Set<string>();
      for (const { type, data } of (await eventsOf(log)).map(eventOf)) {
        const plan = type === 'PlanAssigned' || type === 'BookOpened' ? data.plan : null;
        if (type === 'BookOpened' && data.part === 1) {
          ofPeriod.clear();
          [largest, net] = [0, 0];
        }
        if (plan !== null) largest = Math.max(largest, planOf(plan).includedCredits);
        if (type === 'CreditsGranted' && data.kind === 'plan') {
          ofPeriod.add(data.grantId);
          net += data.amount;
        }
        if (type === 'CreditsExpired' && ofPeriod.has(data.grantId)) net -= data.amount;
        assert.ok(net <= largest, `${net} after ${type}, of ${largest}`);
      }
    });

    check(parameters, 'folds the open book to what all postings since the beginning say', async (log) => {
      const books = await booksOf(log, account);
      const { available, reserved } = bucketsAfter(books.flat().map(eventOf));
      const open = foldOf(books.at(-1) ?? []);
      assert.deepEqual({ available: open.available, reserved: open.reserved }, { available, reserved });
    });

    check(parameters, 'keeps in its grants exactly what is available', async (log) => {
      for (const book of await booksOf(log, account)) {
        const state = foldOf(book);
        const sum = state.grants.reduce((total, { remaining }) => total + remaining, 0);
        assert.ok(sum === state.available || (isUnlimited(state) && state.available < sum));
        const held = [...state.reservations.values()].reduce((total, one) => total + one.held, 0);
        assert.equal(held, state.reserved);
      }
    });

    check(parameters, 'folds from any snapshot to the same state as from zero', async (log) => {
      for (const book of await booksOf(log, account)) {
        const middle = Math.floor(book.length / 2);
        const kept: unknown = JSON.parse(JSON.stringify(ledgerFold.toJson(foldOf(book.slice(0, middle)))));
        const resumed = book
          .slice(middle)
          .reduce((state, event) => evolve(state, eventOf(event)), ledgerFold.fromJson(kept));
        assert.deepEqual(resumed, foldOf(book));
      }
    });

    check(parameters, 'spends exactly what its answers say, when none is lost', async (log, answers) => {
      const events = await eventsOf(log);
      const answered = new Map<string, number>();
      for (const { step, posted } of answers) {
        if (step.do !== 'charge' && step.do !== 'settle') continue;
        if (posted.eventId === null) continue;
        const event = events.find(({ id }) => id === posted.eventId);
        assert.ok(event !== undefined, 'an answer names an event that exists');
        assert.equal(event.meta.account_id, account);
        // A second end of an item is answered with the first one.
        if (event.type === 'ReservationReleased') continue;
        assert.equal((event.data as { amount: number }).amount, posted.credits);
        answered.set(posted.eventId, posted.credits);
      }
      const charged = events.map(eventOf).flatMap(({ type, data }) => {
        const isSpent = type === 'CreditsCharged' || type === 'ReservationSettled';
        return isSpent ? [[data.chargeId, data.amount] as const] : [];
      });
      // What was charged and given back in the same moment was answered as nothing.
      const refunded = new Set(events.map(eventOf).map(({ type, data }) => type === 'ChargeRefunded' && data.chargeId));
      const standing = ([id]: readonly [string, number]) => answered.has(id) || !refunded.has(id);
      assert.deepEqual(new Map(charged.filter(standing)), answered);
    });

    check(
      parameters,
      'answers one operation the same however often it is sent, unless all of it was given back',
      async (log, answers) => {
        const charges = new Map<string, { readonly amount: number; readonly left: number }>();
        for (const { type, data } of (await eventsOf(log)).map(eventOf)) {
          if (type !== 'CreditsCharged' && type !== 'ChargeRefunded') continue;
          const { amount, left } = charges.get(data.chargeId) ?? { ...data, left: 0 };
          const sign = type === 'CreditsCharged' ? 1 : -1;
          charges.set(data.chargeId, { amount, left: left + sign * data.amount });
        }
        const first = new Map<number, string>();
        for (const { step, posted } of answers) {
          if (step.do !== 'charge' || posted.eventId === null) continue;
          const known = first.get(step.operation) ?? posted.eventId;
          first.set(step.operation, known);
          assert.deepEqual([posted.eventId, posted.credits], [known, charges.get(known)?.amount], 'one charge, whole');
        }
        for (const { step, posted } of answers) {
          if (step.do !== 'charge' || posted.eventId !== null) continue;
          const context = callOf(account, { deduplicationKey: `charge ${step.operation}` });
          const chargeId = chargeIdOf(context, transcriptCharge(step.amount));
          assert.deepEqual([posted.credits, charges.get(chargeId)?.left], [0, 0]);
        }
      },
    );

    check(parameters, 'resolves an item of a reservation once: settled or released', async (log) => {
      const ends = (await eventsOf(log)).flatMap((event) => {
        const { type, data } = eventOf(event);
        const isEnd = type === 'ReservationSettled' || type === 'ReservationReleased';
        return isEnd ? [`${data.reservationId} ${data.itemId}`] : [];
      });
      assert.equal(new Set(ends).size, ends.length);
    });

    check(parameters, 'never refunds more than was charged', async (log) => {
      const left = new Map<string, number>();
      for (const event of await eventsOf(log)) {
        const { type, data } = eventOf(event);
        if (type === 'CreditsCharged' || type === 'ReservationSettled') {
          left.set(data.chargeId, data.amount);
        }
        if (type !== 'ChargeRefunded') continue;
        const rest = (left.get(data.chargeId) ?? 0) - data.amount;
        assert.ok(rest >= 0);
        left.set(data.chargeId, rest);
      }
    });

    check(
      parameters,
      'gives back what never expires as far as it was used, and no further',
      async (log) => {
        let [granted, left] = [0, 0];
        for (const book of await booksOf(log, account)) {
          let state = initialState();
          for (const event of book.map(eventOf)) {
            const { type, data } = event;
            if (type === 'CreditsGranted' && data.expiresAt === null) granted += data.amount;
            if (type === 'ChargeRefunded') {
              assert.equal(data.expiresAt === null, data.amount <= granted - left);
            }
            state = evolve(state, event);
            // A correction takes what never expires as if it had never been given.
            if (type === 'BalanceCorrected') granted += data.amount > 0 ? data.amount : lastingIn(state) - left;
            left = lastingIn(state);
            assert.ok(left <= granted, `${left} after ${type}, of ${granted}`);
          }
        }
      },
      giftsAndRefunds,
    );

    check(parameters, 'never takes a credit for an operation that failed', async (log) => {
      for (const event of await eventsOf(log)) {
        if (event.type === 'OperationFailed') assert.deepEqual(postingsOf(eventOf(event)), []);
      }
    });

    check(parameters, 'opens every period once, each where the one before closes', async (log) => {
      const opened = (await eventsOf(log)).flatMap((event) => {
        const { type, data } = eventOf(event);
        return type === 'BookOpened' ? [data] : [];
      });
      const periods = opened.filter(({ part }) => part === 1);
      assert.equal(new Set(periods.map(({ period }) => period)).size, periods.length);
      for (const [index, { closesAt }] of periods.entries()) {
        const next = periods[index + 1];
        if (next !== undefined) assert.equal(next.opensAt, closesAt);
      }
    });

    check(parameters, 'chains every event to the one before, through all books', async (log) => {
      let hash = genesisHash;
      for (const book of await booksOf(log, account)) {
        const first = book[0];
        assert.ok(first !== undefined && first.type === 'BookOpened');
        const { previousHash } = first.data as { previousHash: string | null };
        assert.equal(previousHash, hash === genesisHash ? null : hash);
        const verified = verifyChain(book, { hash, version: 0n });
        assert.equal(verified.fault, null);
        hash = verified.hash;
      }
    });

    check(parameters, 'keeps a book within its bound', async (log, _, { bound }) => {
      // What waits together is decided in one book, and what then is due to close it.
      const group = 30;
      for (const book of await booksOf(log, account)) assert.ok(book.length <= bound + group);
    });

    check(parameters, 'lets a key spend in a period no more than its cap', async (log) => {
      let [spent, opensAt] = [0, ''];
      const byKey = new Set<string>();
      for (const { type, data } of (await eventsOf(log)).map(eventOf)) {
        if (type === 'BookOpened' && data.part === 1) [spent, opensAt] = [0, data.opensAt];
        if (type === 'CreditsReserved' && data.keyId === capped.keyId) byKey.add(data.reservationId);
        if (type === 'CreditsCharged' && data.keyId === capped.keyId) spent += data.amount;
        if (type === 'ReservationSettled' && byKey.has(data.reservationId)) spent += data.amount;
        const isBack = type === 'ChargeRefunded' && data.keyId === capped.keyId;
        if (isBack && (data.chargedAt ?? '') >= opensAt) spent -= data.amount;
        assert.ok(spent <= capped.cap, `${spent} after ${type}`);
      }
    });
  });
};

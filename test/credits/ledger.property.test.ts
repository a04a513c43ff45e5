import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type CreditsEvent, evolve, initialState, type State } from '#src/credits/credits.ts';
import { ledgerFold, type Posted } from '#src/credits/keep-ledger.ts';
import { type Bucket, postingsOf } from '#src/credits/postings.ts';
import { genesisHash, verifyChain } from '#src/eventlog/hash-chain.ts';
import type { EventLog, RecordedEvent } from '#src/eventlog/log.ts';
import { booksOf, foldOf } from '#test/support/credits.ts';
import { type Answer, account, history, played } from '#test/support/ledger-history.ts';

const eventOf = ({ type, data }: RecordedEvent<CreditsEvent>) => ({ type, data }) as CreditsEvent;

const eventsOf = async (log: EventLog) => (await booksOf(log, account)).flat();

const bucketsAfter = (events: readonly CreditsEvent[]): Record<Bucket, number> => {
  const buckets = { issuer: 0, available: 0, reserved: 0, spent: 0, expired: 0 };
  for (const event of events) {
    for (const { bucket, amount } of postingsOf(event)) buckets[bucket] += amount;
  }
  return buckets;
};

const isUnlimited = (state: State) => state.plan === 'enterprise';

const check = (
  name: string,
  property: (log: EventLog, answers: readonly Answer[]) => Promise<void>,
) =>
  it(name, async () => {
    await fc.assert(
      fc.asyncProperty(history, async (groups) => {
        const { log, answers } = await played(groups);
        await property(log, answers);
      }),
      { numRuns: 300, seed: 20_261_121 },
    );
  });

describe('the ledger, whatever happens in two processes', () => {
  check('posts amounts that sum to zero with every event', async (log) => {
    for (const event of await eventsOf(log)) {
      const sum = postingsOf(eventOf(event)).reduce((total, { amount }) => total + amount, 0);
      assert.equal(sum, 0);
    }
  });

  check('never lets what is available or reserved fall below zero', async (log) => {
    for (const book of await booksOf(log, account)) {
      let state = initialState();
      for (const event of book) {
        state = evolve(state, eventOf(event));
        assert.ok(state.reserved >= 0);
        assert.ok(
          state.available >= 0 || isUnlimited(state),
          `${state.available} after ${event.type}`,
        );
      }
    }
  });

  check('accounts for every credit that was ever granted', async (log) => {
    const { issuer, available, reserved, spent, expired } = bucketsAfter(
      (await eventsOf(log)).map(eventOf),
    );
    assert.equal(-issuer, available + reserved + spent + expired);
  });

  check('folds the open book to what all postings since the beginning say', async (log) => {
    const books = await booksOf(log, account);
    const { available, reserved } = bucketsAfter(books.flat().map(eventOf));
    const open = foldOf(books.at(-1) ?? []);
    assert.deepEqual(
      { available: open.available, reserved: open.reserved },
      { available, reserved },
    );
  });

  check('keeps in its grants exactly what is available', async (log) => {
    for (const book of await booksOf(log, account)) {
      const state = foldOf(book);
      const sum = state.grants.reduce((total, { remaining }) => total + remaining, 0);
      assert.ok(sum === state.available || (isUnlimited(state) && state.available < sum));
      const held = [...state.reservations.values()].reduce((total, one) => total + one.held, 0);
      assert.equal(held, state.reserved);
    }
  });

  check('folds from any snapshot to the same state as from zero', async (log) => {
    for (const book of await booksOf(log, account)) {
      const middle = Math.floor(book.length / 2);
      const kept: unknown = JSON.parse(
        JSON.stringify(ledgerFold.toJson(foldOf(book.slice(0, middle)))),
      );
      const resumed = book
        .slice(middle)
        .reduce((state, event) => evolve(state, eventOf(event)), ledgerFold.fromJson(kept));
      assert.deepEqual(resumed, foldOf(book));
    }
  });

  check(
    'spends at least what its answers say, and exactly that when none is lost',
    async (log, answers) => {
      const paid = new Map(
        answers
          .filter(({ step }) => step.do === 'charge' || step.do === 'settle')
          .flatMap(({ posted }) =>
            posted.eventId === null ? [] : [[posted.eventId, posted.credits]],
          ),
      );
      const events = await eventsOf(log);
      for (const [id, credits] of paid) {
        const event = events.find((one) => one.id === id);
        assert.ok(event !== undefined, 'an answer names an event that exists');
        assert.equal(event.meta.account_id, account);
        if (event.type !== 'ReservationReleased') {
          assert.equal((event.data as { amount: number }).amount, credits);
        }
      }
    },
  );

  check('answers one operation the same however often it is sent', async (_, answers) => {
    const first = new Map<string, Posted>();
    for (const { step, posted } of answers) {
      if (step.do !== 'charge') continue;
      const known = first.get(`${step.operation}`) ?? posted;
      first.set(`${step.operation}`, known);
      assert.equal(posted.eventId, known.eventId);
      assert.equal(posted.credits, known.credits);
    }
  });

  check('resolves an item of a reservation once: settled or released', async (log) => {
    const ends = (await eventsOf(log)).flatMap((event) => {
      const { type, data } = eventOf(event);
      const isEnd = type === 'ReservationSettled' || type === 'ReservationReleased';
      return isEnd ? [`${data.reservationId} ${data.itemId}`] : [];
    });
    assert.equal(new Set(ends).size, ends.length);
  });

  check('never refunds more than was charged', async (log) => {
    const left = new Map<string, number>();
    for (const event of await eventsOf(log)) {
      const { type, data } = eventOf(event);
      if (type === 'CreditsCharged') left.set(data.chargeId, data.amount);
      if (type !== 'ChargeRefunded') continue;
      const rest = (left.get(data.chargeId) ?? 0) - data.amount;
      assert.ok(rest >= 0);
      left.set(data.chargeId, rest);
    }
  });

  check('never takes a credit for an operation that failed', async (log) => {
    for (const event of await eventsOf(log)) {
      if (event.type === 'OperationFailed') assert.deepEqual(postingsOf(eventOf(event)), []);
    }
  });

  check('opens every period once, each where the one before closes', async (log) => {
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

  check('chains every event to the one before, through all books', async (log) => {
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

  check('keeps a book within its bound', async (log) => {
    for (const book of await booksOf(log, account)) assert.ok(book.length < 40 + 512 + 10);
  });
});

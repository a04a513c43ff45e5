import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresPool } from '#src/adapters/postgres.ts';
import type { AppendOutcome, EventLog } from '#src/eventlog/event-log.ts';
import { genesisHash, verifyChain } from '#src/eventlog/hash-chain.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { LogUnavailableError } from '#src/eventlog/unavailable-error.ts';
import {
  booksOf,
  callOf,
  ledgerOn,
  openBook,
  standingClock,
  transcriptCharge,
} from '#test/support/credits.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

const account = 'acc_1';
const patienceMs = 20_000;
const operation = (name: string) => callOf(account, { operationKey: name, requestId: name });

/** A book, the log that it is in, and a way to it that can be cut. */
const opened = async () => {
  await using stack = new AsyncDisposableStack();
  const { log, pool, url } = stack.use(await logOnPostgres({ max: 20 }));
  const proxy = stack.use(await postgresProxy(url));
  const { clock } = standingClock('2026-11-21T10:00:00Z');
  await openBook(log, account, { plan: 'enterprise', clock });
  const through = postgresPool({ url: proxy.url, applicationName: 'steno test', max: 5 });
  stack.defer(() => through.end());
  const parts = stack.move();
  return {
    log,
    pool,
    proxy,
    /** The ledger of one process, which knows the book already. */
    ledger: async (on: EventLog = log) => {
      const ledger = ledgerOn(on, { clock, patienceMs });
      await ledger.balance(operation('look'), { fresh: true });
      return ledger;
    },
    far: postgresEventLog({ pool: through, clock }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

type Ledger = ReturnType<typeof ledgerOn>;

const charges = (ledger: Ledger, count: number, name: string) =>
  Array.from({ length: count }, (_, n) =>
    ledger.charge(operation(`${name}-${n}`), [transcriptCharge(1)]),
  );

/** The ids of all charges in the log, with the chain over all books checked. */
const provenCharges = async (log: EventLog): Promise<readonly string[]> => {
  const books = await booksOf(log, account);
  let hash = genesisHash;
  for (const book of books) {
    const proof = verifyChain(book, { hash, version: 0n });
    assert.equal(proof.fault, null);
    hash = proof.hash;
  }
  return books.flatMap((book) =>
    book.filter(({ type }) => type === 'CreditsCharged').map(({ id }) => id),
  );
};

/** A log that sends the first two appends in line when `before` is done; `sent` tells how each is sent. */
const heldBack = (log: EventLog, before: () => Promise<unknown>) => {
  const sent: (string | null)[] = [];
  const outcomes: (AppendOutcome['outcome'] | undefined)[] = [];
  const { promise: two, resolve: twoAreThere } = Promise.withResolvers<void>();
  const ready = two.then(before);
  const held: EventLog = {
    ...log,
    append: async (appends, options) => {
      if (options?.follows === undefined) return log.append(appends, options);
      sent.push(options.follows?.id ?? null);
      if (sent.length === 2) twoAreThere();
      if (sent.length <= 2) await ready;
      const answers = await log.append(appends, options);
      outcomes.push(answers[0]?.outcome);
      return answers;
    },
  };
  return { held, sent, outcomes };
};

describe('groups that overlap', () => {
  it('are sent one behind the other, each naming the event that it follows', async () => {
    await using given = await opened();
    const { held, sent, outcomes } = heldBack(given.log, async () => undefined);
    const ledger = await given.ledger(held);
    const posted = await Promise.all(charges(ledger, 32, 'op'));
    const ids = posted.map(({ eventId }) => eventId);
    assert.deepEqual(sent, [null, ids[15]]);
    assert.deepEqual(outcomes, ['appended', 'appended']);
    assert.deepEqual(await provenCharges(given.log), ids);
  });

  it('are both decided again when a stranger has written as many events as the first of them', async () => {
    await using given = await opened();
    const stranger = await given.ledger();
    const { held, outcomes } = heldBack(given.log, () =>
      Promise.all(charges(stranger, 16, 'stranger')),
    );
    const posted = await Promise.all(charges(await given.ledger(held), 32, 'op'));
    // By its version the second one would have fitted.
    assert.deepEqual(outcomes.slice(0, 2), ['conflict', 'conflict']);
    const stored = await provenCharges(given.log);
    assert.equal(stored.length, 48);
    assert.deepEqual(
      stored.slice(16),
      posted.map(({ eventId }) => eventId),
    );
    assert.ok(posted.every(({ isRepeat, credits }) => !isRepeat && credits === 1));
  });

  it('find a command of the first one in the second, and charge it once', async () => {
    await using given = await opened();
    const ledger = await given.ledger();
    const once = charges(ledger, 20, 'op');
    const again = charges(ledger, 20, 'op');
    const [first, second] = await Promise.all([Promise.all(once), Promise.all(again)]);
    assert.deepEqual(
      second.map(({ eventId }) => eventId),
      first.map(({ eventId }) => eventId),
    );
    assert.equal([...first, ...second].filter(({ isRepeat }) => isRepeat).length, 20);
    assert.equal((await provenCharges(given.log)).length, 20);
  });

  it('refuse what the first of them leaves no credits for, and nothing else', async () => {
    await using given = await opened();
    const other = callOf('acc_2', {});
    const { clock } = standingClock('2026-11-21T10:00:00Z');
    await openBook(given.log, 'acc_2', { plan: 'free', clock });
    const ledger = await given.ledger();
    const { remaining } = await ledger.balance(other, { fresh: true });
    const settled = await Promise.allSettled(
      Array.from({ length: 64 }, (_, n) =>
        ledger.charge({ ...other, operationKey: `op-${n}` }, [
          transcriptCharge(Math.ceil(remaining / 40)),
        ]),
      ),
    );
    const taken = settled.filter(({ status }) => status === 'fulfilled').length;
    assert.equal(taken, Math.floor(remaining / Math.ceil(remaining / 40)));
    const left = await ledger.balance(other, { fresh: true });
    assert.equal(left.remaining, remaining - taken * Math.ceil(remaining / 40));
  });
});

describe('a connection that breaks while groups overlap', () => {
  for (const [when, statement] of [
    ['after the first was sent', 'FROM es_append('],
    ['after the second was sent', 'FROM es_append_behind('],
  ] as const) {
    it(`${when} costs nobody an answer and charges nobody twice`, async () => {
      await using given = await opened();
      const ledger = await given.ledger(given.far);
      const broken = given.proxy.breakAfter(statement);
      const posted = Promise.all(charges(ledger, 64, 'op'));
      await broken;
      const ids = (await posted).map(({ eventId }) => eventId);
      assert.deepEqual([...(await provenCharges(given.log))].sort(), ids.sort());
    });
  }

  it('again and again, wherever it is, leaves what was answered, once, and what was not can be asked again', async () => {
    await using given = await opened();
    const ledger = await given.ledger(given.far);
    let isOver = false;
    const cutting = async (): Promise<void> => {
      for (let round = 0; !isOver; round += 1) {
        // Longer and longer: the cut falls into another part of a group's way each time.
        await pause(5 + (round % 12));
        await given.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%FROM es_append%'
           LIMIT 1`,
        );
      }
    };
    const cut = cutting();
    const answered = new Map<string, string | null>();
    const caller = async (_: unknown, who: number): Promise<void> => {
      for (let n = 0; n < 12; n += 1) {
        const name = `${who}-${n}`;
        for (;;) {
          try {
            const { eventId } = await ledger.charge(operation(name), [transcriptCharge(1)]);
            answered.set(name, eventId);
            break;
          } catch (error) {
            if (!(error instanceof LogUnavailableError)) throw error;
          }
        }
      }
    };
    await Promise.all(Array.from({ length: 40 }, caller)).finally(() => {
      isOver = true;
    });
    await cut;
    const stored = await provenCharges(given.log);
    assert.equal(stored.length, 480);
    assert.deepEqual([...stored].sort(), [...answered.values()].sort());
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { ledgerDecider, ledgerFold } from '#src/credits/ledger/ledger-decider.ts';
import { commandHandler } from '#src/eventlog/commands/command-handler.ts';
import { ConcurrencyError } from '#src/eventlog/commands/command-queue.ts';
import type { EventLog } from '#src/eventlog/event-log.ts';
import { genesisHash, verifyChain } from '#src/eventlog/hash-chain.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { LogUnavailableError } from '#src/eventlog/unavailable-error.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { booksOf, callOf, foldOf, ledgerOn, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

const account = 'acc_1';
/** Longer than any test, also on a busy machine. */
const timeoutMs = 20_000;

/** One book, and the ledgers of two processes: each has a pool, a log and a decider of its own. */
const twoProcesses = async (options: { plan?: 'starter' | 'enterprise'; maxEvents?: number } = {}) => {
  const { plan = 'starter', maxEvents } = options;
  const time = manualClock('2026-11-21T10:00:00Z');
  const { clock } = time;
  const opened = await logOnPostgres();
  const pool = postgresPool({ url: opened.url, applicationName: 'steno test', max: 10 });
  await openBook(opened.log, account, { plan, clock });
  const bounds = maxEvents === undefined ? {} : { maxEvents };
  return {
    ...opened,
    time,
    clock,
    sides: [
      ledgerOn(opened.log, { clock, timeoutMs, ...bounds }),
      ledgerOn(postgresEventLog({ pool }), { clock, timeoutMs, ...bounds }),
    ] as const,
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      await opened[Symbol.asyncDispose]();
    },
  };
};

const operation = (name: string) => callOf(account, { deduplicationKey: name, requestId: name });

/** What became of a command: its event, or the code that refused it. */
const outcomeOf = (posting: Promise<{ eventId: string | null }>): Promise<string | null> =>
  posting.then(
    ({ eventId }) => eventId,
    (error: unknown) => {
      if (error instanceof Refusal) return error.code;
      throw error;
    },
  );

/** Every book in order, with the chain through all of them checked. */
const provenBooks = async (log: EventLog) => {
  const books = await booksOf(log, account);
  let hash = genesisHash;
  for (const book of books) {
    const proof = verifyChain(book, { hash, version: 0n });
    assert.equal(proof.fault, null);
    hash = proof.hash;
  }
  return books;
};

const chargesIn = (books: Awaited<ReturnType<typeof booksOf>>) =>
  books.flat().filter(({ type }) => type === 'CreditsCharged');

describe('two processes that handle commands of one account', () => {
  it('accept exactly as many of 400 commands as the balance allows, without a conflict for any caller', async () => {
    await using given = await twoProcesses();
    const outcomes = await Promise.all(
      Array.from({ length: 400 }, (_, n) =>
        outcomeOf(given.sides[n % 2 === 0 ? 0 : 1].charge(operation(`op-${n}`), [transcriptCharge(4)])),
      ),
    );
    const refused = outcomes.filter((outcome) => outcome === 'INSUFFICIENT_CREDITS');
    assert.equal(refused.length, 150);
    const books = await provenBooks(given.log);
    const charges = chargesIn(books);
    assert.equal(charges.length, 250);
    assert.deepEqual(
      outcomes.filter((outcome) => outcome !== 'INSUFFICIENT_CREDITS').sort(),
      charges.map(({ id }) => id).sort(),
    );
    assert.equal(foldOf(books[0] ?? []).available, 0);
  });

  it('both make progress under load', async () => {
    await using given = await twoProcesses({ plan: 'enterprise' });
    // Neither has a start: both have their connections, and have met the other on the book.
    const meet = (n: number) => given.sides[n % 2 === 0 ? 0 : 1].charge(operation(`first-${n}`), [transcriptCharge(1)]);
    for (const round of [0, 20]) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => meet(round + n)));
    }
    const done = [0, 0];
    const atFirstEnd: number[] = [];
    const work = async (side: 0 | 1): Promise<void> => {
      const worker = async (_: unknown, w: number) => {
        for (let n = 0; n < 20; n += 1) {
          await given.sides[side].charge(operation(`${side}-${w}-${n}`), [transcriptCharge(1)]);
          done[side] = (done[side] ?? 0) + 1;
        }
      };
      await Promise.all(Array.from({ length: 10 }, worker));
      if (atFirstEnd.length === 0) atFirstEnd.push(...done);
    };
    await Promise.all([work(0), work(1)]);
    assert.deepEqual(done, [200, 200]);
    // The lock is granted in the order of requests, so that the slower process keeps at least 0.3 of the rate.
    assert.ok(Math.min(...atFirstEnd) >= 60, `one was at ${atFirstEnd} when the other was done`);
    assert.equal(chargesIn(await provenBooks(given.log)).length, 440);
  });

  it('refuse nothing on a stale state: a grant of one makes the next charge of the other succeed', async () => {
    await using given = await twoProcesses();
    const [one, other] = given.sides;
    await one.charge(operation('all'), [transcriptCharge(1_000)]);
    assert.equal(await outcomeOf(one.charge(operation('short'), [transcriptCharge(1)])), 'INSUFFICIENT_CREDITS');
    await other.grant(operation('gift'), { reference: 'gift', amount: 5, expiresAt: null });
    const charged = await one.charge(operation('now'), [transcriptCharge(5)]);
    assert.equal(charged.credits, 5);
    assert.equal(
      await outcomeOf(other.charge(operation('again short'), [transcriptCharge(1)])),
      'INSUFFICIENT_CREDITS',
    );
  });

  it('return the first result for a repeated command, in either process', async () => {
    await using given = await twoProcesses();
    const [one, other] = given.sides;
    const first = await one.charge(operation('paid'), [transcriptCharge(1_000)]);
    // The balance is spent by now: a repeat is no new charge that could be refused.
    const repeats = await Promise.all(
      [one, other, one, other].map((side) => side.charge(operation('paid'), [transcriptCharge(1_000)])),
    );
    for (const repeat of repeats) {
      assert.deepEqual([repeat.eventId, repeat.credits, repeat.isRepeat], [first.eventId, 1_000, true]);
    }
    await one.grant(operation('gift'), { reference: 'gift', amount: 50, expiresAt: null });
    const racing = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        (n % 2 === 0 ? one : other).charge(operation('race'), [transcriptCharge(2)]),
      ),
    );
    assert.equal(new Set(racing.map(({ eventId }) => eventId)).size, 1);
    assert.equal(racing.filter(({ isRepeat }) => !isRepeat).length, 1);
    assert.ok(racing.every(({ credits }) => credits === 2));
    assert.equal(chargesIn(await provenBooks(given.log)).length, 2);
  });

  it('complete a command that was stored in part before', async () => {
    await using given = await twoProcesses();
    const [one, other] = given.sides;
    const [a, b, c] = ['a', 'b', 'c'].map((what) => transcriptCharge(1, what));
    assert.ok(a && b && c);
    const part = await one.charge(operation('batch'), [a, b]);
    const whole = await other.charge(operation('batch'), [a, b, c]);
    assert.equal(whole.credits, 3);
    assert.deepEqual(whole.eventIds.slice(0, 2), part.eventIds);
    assert.equal(chargesIn(await provenBooks(given.log)).length, 3);
  });
});

describe('a log that breaks', () => {
  it('again and again stores every acknowledged command once', async () => {
    await using given = await twoProcesses({ plan: 'enterprise' });
    let isOver = false;
    const terminating = async (): Promise<void> => {
      for (let round = 0; !isOver; round += 1) {
        // Longer and longer, so that each connection is terminated in another phase of an append.
        await pause(5 + (round % 12));
        await given.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%FROM es_append%'
           LIMIT 1`,
        );
      }
    };
    const terminated = terminating();
    const acknowledged = new Map<string, string | null>();
    const caller = async (_: unknown, who: number): Promise<void> => {
      for (let n = 0; n < 12; ) {
        const name = `${who}-${n}`;
        try {
          const posted = await given.sides[1].charge(operation(name), [transcriptCharge(1)]);
          acknowledged.set(name, posted.eventId);
          n += 1;
        } catch (error) {
          if (!(error instanceof LogUnavailableError)) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: 40 }, caller)).finally(() => {
      isOver = true;
    });
    await terminated;
    const stored = chargesIn(await provenBooks(given.log)).map(({ id }) => id);
    assert.equal(stored.length, 480);
    assert.deepEqual(stored.sort(), [...acknowledged.values()].sort());
  });

  it('after a commit without a response is queried for the event ids, and the command succeeds', async () => {
    await using given = await twoProcesses();
    await using proxy = await postgresProxy(given.url);
    await using pool = disposable(postgresPool({ url: proxy.url, applicationName: 'steno test' }));
    const { clock } = given;
    const ledger = ledgerOn(postgresEventLog({ pool: pool.pool }), { clock, timeoutMs });
    await ledger.charge(operation('before'), [transcriptCharge(1)]);

    const broken = proxy.breakAfter('FROM es_append(');
    const charges = Array.from({ length: 20 }, (_, n) => ledger.charge(operation(`op-${n}`), [transcriptCharge(1)]));
    await broken;
    const posted = await Promise.all(charges);
    const books = await provenBooks(given.log);
    assert.deepEqual(
      posted.map(({ eventId }) => eventId),
      chargesIn(books)
        .slice(1)
        .map(({ id }) => id),
    );
    assert.ok(posted.every(({ credits }) => credits === 1));
    assert.equal(foldOf(books[0] ?? []).available, 979);
  });

  it('twice in a row fails the command; a repeat finds the stored events', async () => {
    await using given = await twoProcesses();
    const { log, clock } = given;
    let failures = 2;
    const stored = (): never => {
      failures -= 1;
      throw new LogUnavailableError('after a real append', new Error('the connection broke'));
    };
    const breaking: EventLog = {
      ...log,
      append: async (...append) => {
        const outcomes = await log.append(...append);
        return failures > 0 ? stored() : outcomes;
      },
      appendLocked: async (stream, from, decide) => {
        const outcomes = await log.appendLocked(stream, from, decide);
        return failures > 0 ? stored() : outcomes;
      },
    };
    const ledger = ledgerOn(breaking, { clock, timeoutMs });
    const charge = () => ledger.charge(operation('paid'), [transcriptCharge(7)]);
    await assert.rejects(charge(), LogUnavailableError);
    const again = await charge();
    assert.deepEqual([again.credits, again.isRepeat], [7, true]);
    const charges = chargesIn(await provenBooks(log));
    assert.deepEqual(
      charges.map(({ id }) => id),
      [again.eventId],
    );
  });
});

describe('commands that wait for one account', () => {
  it('are bounded: commands beyond the limit are refused at once, and the others are handled', async () => {
    await using given = await twoProcesses();
    const { log, clock } = given;
    let appends = 0;
    const counted: EventLog = {
      ...log,
      append: (...append) => {
        appends += 1;
        return log.append(...append);
      },
    };
    const serial = commandHandler({
      log: counted,
      clock,
      decider: ledgerDecider({ versionOf: () => 1 }),
      locate: async () => (await log.streamsWithPrefix(`ledger-${account}-`))[0] ?? null,
      unknownKey: (key) => new Error(`${key} has no book`),
      maxWaiting: 10,
      maxGroupEvents: 4,
    });
    const settled = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) =>
        serial.run(account, {
          type: 'ChargeCredits',
          data: { context: operation(`op-${n}`), charges: [transcriptCharge(1)] },
        }),
      ),
    );
    const turnedAway = settled.slice(10).map((one) => one.status === 'rejected' && one.reason);
    assert.ok(settled.slice(0, 10).every(({ status }) => status === 'fulfilled'));
    assert.ok(turnedAway.every((reason) => reason instanceof ConcurrencyError));
    // Ten commands in groups of four are three appends.
    assert.equal(appends, 3);
    assert.equal(chargesIn(await provenBooks(log)).length, 10);
  });

  it('for an account without a book are refused', async () => {
    await using given = await twoProcesses();
    const stranger = callOf('acc_2');
    await assert.rejects(given.sides[0].charge(stranger, [transcriptCharge(1)]), /acc_2 has no book/);
  });
});

describe('a cold start', () => {
  it('reads the newest snapshot and the events after it, not the whole book', async () => {
    await using given = await twoProcesses();
    const { log, clock } = given;
    for (let n = 0; n < 45; n += 1) {
      await given.sides[0].charge(operation(`op-${n}`), [transcriptCharge(1)]);
    }
    const [stream = ''] = await log.streamsWithPrefix(`ledger-${account}-`);
    let snapshot = await log.loadSnapshot(stream, ledgerFold.version);
    for (let left = 1_000; left > 0 && (snapshot?.version ?? 0n) < 40n; left -= 1) {
      await pause(5);
      snapshot = await log.loadSnapshot(stream, ledgerFold.version);
    }
    const reads: (bigint | undefined)[] = [];
    const watched: EventLog = {
      ...log,
      read: (name, options) => {
        reads.push(options?.from);
        return log.read(name, options);
      },
    };
    const cold = ledgerOn(watched, { clock });
    const balance = await cold.balance(operation('look'), { fresh: false });
    assert.equal(balance.remaining, 955);
    assert.deepEqual(reads, [(snapshot?.version ?? 0n) + 1n]);
    await cold.charge(operation('first'), [transcriptCharge(1)]);
    await provenBooks(log);
  });

  it('ignores a snapshot of another fold version', async () => {
    await using given = await twoProcesses();
    const { log, clock } = given;
    const [stream = ''] = await log.streamsWithPrefix(`ledger-${account}-`);
    await log.saveSnapshot(stream, ledgerFold.version + 1, { version: 2n, state: { json: 'else' } });
    const { remaining } = await ledgerOn(log, { clock }).balance(operation('look'), { fresh: true });
    assert.equal(remaining, 1_000);
  });
});

describe('a stream that two processes write to in turns, one command at a time', () => {
  it('is read before each command, and not locked', async () => {
    await using given = await twoProcesses();
    const { log, clock } = given;
    let locks = 0;
    const watched: EventLog = {
      ...log,
      appendLocked: (...wanted) => {
        locks += 1;
        return log.appendLocked(...wanted);
      },
    };
    const sides = [ledgerOn(watched, { clock, timeoutMs }), ledgerOn(watched, { clock, timeoutMs })] as const;
    for (const side of sides) await side.balance(operation('look'), { fresh: true });
    for (let n = 0; n < 20; n += 1) {
      await sides[n % 2 === 0 ? 0 : 1].charge(operation(`op-${n}`), [transcriptCharge(1)]);
    }
    assert.equal(locks, 0);
    assert.equal(chargesIn(await provenBooks(log)).length, 20);
  });
});

describe('a state that may be a little old', () => {
  it('is not read again while a command has shown that it is the newest', async () => {
    await using given = await twoProcesses();
    const { log, clock } = given;
    let reads = 0;
    const watched: EventLog = {
      ...log,
      read: (...wanted) => {
        reads += 1;
        return log.read(...wanted);
      },
    };
    const ledger = ledgerOn(watched, { clock });
    await ledger.charge(operation('op'), [transcriptCharge(1)]);
    reads = 0;
    const look = async (withinMs: number) =>
      (await ledger.balance(operation('look'), { fresh: true, withinMs })).remaining;
    assert.equal(await look(60_000), 999);
    assert.equal(reads, 0);
    await given.sides[1].charge(operation('of another process'), [transcriptCharge(1)]);
    assert.equal(await look(0), 998);
    assert.equal(reads, 1);
  });
});

describe('a book that is continued in a new stream while two processes write to it', () => {
  it('for its length loses no charge, and the chain continues through every part', async () => {
    await using given = await twoProcesses({ maxEvents: 30 });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, worker) => {
        const side = given.sides[worker % 2 === 0 ? 0 : 1];
        const ids: (string | null)[] = [];
        for (let n = 0; n < 10; n += 1) {
          ids.push((await side.charge(operation(`${worker}-${n}`), [transcriptCharge(1)])).eventId);
        }
        return ids;
      }),
    );
    const books = await provenBooks(given.log);
    const charges = chargesIn(books);
    assert.deepEqual(outcomes.flat().sort(), charges.map(({ id }) => id).sort());
    assert.equal(charges.length, 200);
    assert.ok(books.length >= 4, `${books.length} books`);
    for (const [n, book] of books.entries()) {
      assert.equal(book[0]?.type, 'BookOpened');
      assert.equal(book.at(-1)?.type === 'BookClosed', n < books.length - 1);
      // One group of at most 20 waiting commands may go beyond the bound.
      assert.ok(book.length <= 30 + 20 + 2, `${book.length} events`);
    }
    assert.equal(foldOf(books.at(-1) ?? []).available, 800);

    // Who turned a book and who learns of it remove its snapshots; only the open one has any.
    for (const [n, side] of given.sides.entries()) {
      await side.charge(operation(`look ${n}`), [transcriptCharge(1)]);
    }
    const open = books.at(-1)?.[0]?.stream ?? '';
    const ofClosed = async () => {
      const { rows } = await given.pool.query<{ stream: string }>('SELECT stream FROM es_snapshot');
      return rows.filter(({ stream }) => stream < open);
    };
    let left = await ofClosed();
    for (let looks = 500; looks > 0 && left.length > 0; looks -= 1) left = await ofClosed();
    assert.deepEqual(left, []);
  });

  it('for its period opens the next once, whichever process is first', async () => {
    await using given = await twoProcesses();
    const [one, other] = given.sides;
    await one.charge(operation('old'), [transcriptCharge(300)]);
    await other.balance(operation('look'), { fresh: true });
    given.time.moveTo('2026-12-21T00:00:00Z');
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        outcomeOf((n % 2 === 0 ? one : other).charge(operation(`op-${n}`), [transcriptCharge(20)])),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'INSUFFICIENT_CREDITS').length, 10);
    const books = await provenBooks(given.log);
    assert.deepEqual(
      books.map((book) => book[0]?.stream),
      [`ledger-${account}-2026-11`, `ledger-${account}-2026-12`],
    );
    const granted = books[1]?.filter(({ type }) => type === 'CreditsGranted') ?? [];
    assert.equal(granted.length, 1);
    const expired = books[0]?.filter(({ type }) => type === 'CreditsExpired') ?? [];
    assert.deepEqual(
      expired.map(({ data }) => 'amount' in data && data.amount),
      [700],
    );
    assert.equal(foldOf(books[1] ?? []).available, 0);
  });
});

const disposable = (pool: ReturnType<typeof postgresPool>) => ({ pool, [Symbol.asyncDispose]: () => pool.end() });

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { CreditsEvent } from '#src/credits/credits.ts';
import { genesisHash, type Link, verifyChain } from '#src/eventlog/hash-chain.ts';
import type { EventLog, RecordedEvent } from '#src/eventlog/log.ts';
import { memoryEventLog } from '#src/eventlog/memory.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import {
  booksOf,
  callOf,
  ledgerOn,
  openBook,
  standingClock,
  transcriptCharge,
} from '#test/support/credits.ts';
import { account, history, played, ran } from '#test/support/ledger-history.ts';

const pauses = async (turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
};

/** The log as over a network: every look and every append takes its turns of the event loop. */
const distant = (log: EventLog, turns: () => number): EventLog => ({
  ...log,
  append: async (appends, options) => {
    await pauses(turns());
    const outcomes = await log.append(appends, options);
    await pauses(turns());
    return outcomes;
  },
  appendLocked: async (stream, from, decide) => {
    await pauses(turns());
    const outcomes = await log.appendLocked(stream, from, decide);
    await pauses(turns());
    return outcomes;
  },
  read: async (stream, options) => {
    await pauses(turns());
    return log.read(stream, options);
  },
  readById: async (id) => {
    await pauses(turns());
    return log.readById(id);
  },
  versionOf: async (stream) => {
    await pauses(turns());
    return log.versionOf(stream);
  },
});

const isRefusal = (error: unknown): error is Refusal => error instanceof Refusal;

describe('what one account pays for at the same time', () => {
  it('is exactly as much as its balance covers, through two processes that hold and charge', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          balance: fc.integer({ min: 0, max: 60 }),
          price: fc.integer({ min: 1, max: 7 }),
          operations: fc.integer({ min: 1, max: 40 }),
          work: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 40, maxLength: 40 }),
          waits: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 7, maxLength: 7 }),
          inTwo: fc.boolean(),
        }),
        async ({ balance, price, operations, work, waits, inTwo }) => {
          const { clock } = standingClock('2026-01-10T09:00:00Z');
          const log = memoryEventLog({ clock });
          await openBook(log, account, { plan: 'starter', clock });
          await ledgerOn(log, { clock }).charge(callOf(account), [
            transcriptCharge(1_000 - balance),
          ]);
          let looks = 0;
          const turns = () => {
            looks += 1;
            return waits[looks % waits.length] ?? 0;
          };
          const processes = [0, 1].map(() => ledgerOn(distant(log, turns), { clock }));

          const ends = await Promise.all(
            Array.from({ length: operations }, async (_, index) => {
              const ledger = processes[inTwo ? index % 2 : 0];
              assert(ledger !== undefined);
              const call = callOf(account, { operationKey: `operation ${index}` });
              const charges = [transcriptCharge(price)];
              try {
                const hold = await ledger.hold(call, charges);
                await pauses(work[index] ?? 0);
                await ledger.charge(call, charges).finally(hold.release);
                return 'paid';
              } catch (error) {
                if (!isRefusal(error)) throw error;
                return error.code;
              }
            }),
          );

          const paid = ends.filter((end) => end === 'paid').length;
          assert.equal(paid, Math.min(operations, Math.floor(balance / price)));
        },
      ),
      { numRuns: 150, seed: 20_261_123 },
    );
  });
});

describe('the cap of a key', () => {
  it('is never exceeded in a period, over two processes and however many books', async () => {
    const cap = 60;
    const step = fc.record({
      process: fc.constantFrom(0, 1),
      kind: fc.constantFrom('charge', 'charge', 'reserve', 'release', 'settle', 'wait'),
      job: fc.integer({ min: 0, max: 3 }),
      amount: fc.integer({ min: 1, max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 25 }),
        async (groups) => {
          const { clock, moveBy } = standingClock('2026-01-31T09:00:00Z');
          const log = memoryEventLog({ clock });
          await openBook(log, account, { plan: 'enterprise', clock });
          const processes = [0, 1].map(() => ledgerOn(log, { clock, maxEvents: 12 }));
          let operation = 0;
          for (const group of groups) {
            if (group.some(({ kind }) => kind === 'wait')) moveBy(9 * 86_400_000);
            await Promise.all(
              group.map(async ({ process, kind, job, amount }) => {
                const ledger = processes[process];
                assert(ledger !== undefined);
                operation += 1;
                const key = { capCredits: cap, operationKey: `operation ${operation}` };
                const call = callOf(account, key);
                const of = { reservationId: `rsv_${job}`, jobId: `job_${job}` };
                const item = { ...of, itemId: `itm_${operation}` };
                const settled = { ...item, attempt: 1, operation: 'job_item', amount: 1 } as const;
                const doing: Readonly<Record<string, () => Promise<unknown>>> = {
                  charge: () => ledger.charge(call, [transcriptCharge(amount)]),
                  reserve: () => ledger.reserve(call, { ...of, amount }),
                  release: () => ledger.release(call, { ...item, amount, why: 'item_failed' }),
                  settle: () => ledger.settleItem(call, { ...settled, videoId: null }),
                };
                await doing[kind]?.().catch((error: unknown) => {
                  if (!isRefusal(error)) throw error;
                });
              }),
            );
          }
          assertWithinCap((await booksOf(log, account)).flat(), cap);
        },
      ),
      { numRuns: 150, seed: 20_261_124 },
    );
  });
});

/** What was spent, or set aside and not given back, of what the period began: counted from the events alone. */
const assertWithinCap = (events: readonly RecordedEvent<CreditsEvent>[], cap: number): void => {
  let used = 0;
  let begun = new Set<string>();
  for (const event of events) {
    const { type, data } = { type: event.type, data: event.data } as CreditsEvent;
    if (type === 'BookOpened' && data.part === 1) {
      used = 0;
      begun = new Set();
    }
    if (type === 'CreditsCharged') used += data.amount;
    if (type === 'CreditsReserved') {
      used += data.amount;
      begun.add(data.reservationId);
    }
    if (type === 'ReservationReleased' && begun.has(data.reservationId)) used -= data.amount;
    assert.ok(used <= cap, `${used} of ${cap} after ${type}`);
  }
};

describe('two accounts on one log', () => {
  it('leave each other alone: the books of one are the same, byte for byte, whatever the other does', async () => {
    const steps = fc.array(
      fc.record({ mine: history.map((groups) => groups.flat()), theirs: history }),
      { maxLength: 2 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (parts) => {
        const booksBeside = async (isTheirsPlayed: boolean): Promise<string> => {
          const { clock, moveBy } = standingClock('2026-01-31T09:00:00Z');
          const log = memoryEventLog({ clock });
          for (const name of [account, 'acc_2']) {
            await openBook(log, name, { plan: 'starter', clock });
          }
          const ledger = ledgerOn(log, { clock, maxEvents: 40 });
          const does = async (accountId: string, placed: { step: Parameters<typeof ran>[1] }) => {
            if (placed.step.do === 'wait') return;
            await ran(ledger, placed.step, clock, accountId).catch((error: unknown) => {
              if (!isRefusal(error)) throw error;
            });
          };
          for (const { mine, theirs } of parts) {
            const others = theirs.flat();
            for (const [index, placed] of mine.entries()) {
              if (placed.step.do === 'wait') moveBy(placed.step.days * 86_400_000);
              const other = others[index];
              if (isTheirsPlayed && other !== undefined) await does('acc_2', other);
              await does(account, placed);
            }
          }
          const books = await booksOf(log, account);
          return JSON.stringify(
            books.flat().map(({ position: _, version, ...event }) => [String(version), event]),
          );
        };
        assert.equal(await booksBeside(true), await booksBeside(false));
      }),
      { numRuns: 60, seed: 20_261_125 },
    );
  });
});

/** Another text of the same length that differs in one place. */
const changedAt = (text: string, place: number, by: number): string => {
  const at = place % text.length;
  const code = text.charCodeAt(at);
  const other = 0x20 + ((code - 0x20 + 1 + (by % 94)) % 95);
  return text.slice(0, at) + String.fromCharCode(other) + text.slice(at + 1);
};

type Exported = Omit<Link, 'version'> & { readonly version: string };

const exported = ({
  id,
  type,
  schemaVersion,
  stream,
  version,
  data,
  meta,
}: RecordedEvent): Exported => ({
  id,
  type,
  schemaVersion,
  stream,
  version: String(version),
  data,
  meta,
});

/** The text as an entry, or null when it is none any more: whoever reads the export sees that. */
const entryOf = (text: string): Link | null => {
  try {
    const entry = JSON.parse(text) as Exported;
    return { ...entry, version: BigInt(entry.version) };
  } catch {
    return null;
  }
};

describe('the books as somebody exported them', () => {
  it('show every change of one character, and where it was made', async () => {
    const change = fc.record({ event: fc.nat(), place: fc.nat(), by: fc.nat() });
    await fc.assert(
      fc.asyncProperty(history, change, async (groups, { event, place, by }) => {
        const { log } = await played(groups);
        let before = genesisHash;
        for (const book of await booksOf(log, account)) {
          const texts = book.map((one) => JSON.stringify(exported(one)));
          const index = event % texts.length;
          const whole = texts[index] ?? '';
          const changed = changedAt(whole, place, by);
          const links = texts.map((text, at) => entryOf(at === index ? changed : text));
          const original = verifyChain(book, { hash: before, version: 0n });
          assert.equal(original.fault, null);

          const isSame = JSON.stringify(JSON.parse(whole)) === safely(changed);
          const readable = links.filter((link) => link !== null);
          if (readable.length === links.length && !isSame) {
            const { fault, version } = verifyChain(readable, { hash: before, version: 0n });
            assert.ok(fault !== null, `${whole} became ${changed}`);
            assert.equal(version, BigInt(index), 'everything before it holds');
          }
          before = original.hash;
        }
      }),
      { numRuns: 300, seed: 20_261_126 },
    );
  });
});

const safely = (text: string): string | null => {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return null;
  }
};

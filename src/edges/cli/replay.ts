import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type PriceBook, priceBookSchema, statementText } from '../../queries.ts';
import { type NamedAccount, onAccount, withAccount } from './named-account.ts';
import { progressInParts } from './progress.ts';
import { print, printBytes, type Terminal } from './terminal.ts';

type Options = NamedAccount & { from?: string; to?: string; period?: string; priceBook?: PriceBook; json?: boolean };

/** `steno replay`: the bill of a period, computed from the events alone; no read model takes part. */
export const addReplay = (program: Command, terminal: Terminal): void => {
  const replay = program.command('replay').description('compute the bill of a period from events alone');
  withAccount(replay)
    .option('--period <day>', 'the statement of the billing period that starts on this day (UTC)')
    .option('--from <date>', 'first day or time (UTC), inclusive', parseTime)
    .option('--to <date>', 'last day or time (UTC), exclusive', parseTime)
    .option('--price-book <file>', 'also compute the bill at the prices in this file (JSON)', parsePriceBook)
    .option('--json', 'print JSON')
    .action(async ({ from, to, period, priceBook, json = false, ...named }: Options, command: Command) => {
      if (period !== undefined) {
        if (from !== undefined || to !== undefined || priceBook !== undefined) {
          command.error('error: --period cannot be combined with --from, --to or --price-book');
        }
        const statement = await onAccount(terminal, named, ({ actions }, { accountId }) =>
          actions.replayStatement({ accountId, period }),
        );
        return await printBytes(terminal, statementText(statement, json ? 'json' : 'csv'));
      }
      if (from === undefined || to === undefined) return command.error('error: give --period, or --from and --to');
      if (from >= to) command.error('error: --from must be earlier than --to');
      using shown = progressInParts(terminal);
      const bill = await onAccount(terminal, named, ({ actions }, { accountId }) =>
        actions.replayBill({ accountId, from, to, ...(priceBook === undefined ? {} : { priceBook }) }, shown),
      );
      if (json) {
        const { accountId, ...rest } = bill;
        return await print(terminal, JSON.stringify({ account_id: accountId, ...rest }));
      }
      await print(terminal, `account   ${bill.accountId}`);
      await print(terminal, `period    ${bill.from} to ${bill.to}`);
      for (const name of sums) await print(terminal, `${name.padEnd(10)}${bill[name]}`);
      for (const { operation, count, credits } of bill.lines) {
        await print(terminal, `  ${operation.padEnd(12)}${String(count).padStart(8)} x  ${credits} credits`);
      }
      if (bill.rebilled === undefined) return;
      const { price_book, charged, difference } = bill.rebilled;
      await print(terminal, `under ${price_book}: ${charged} credits, ${difference} more`);
      for (const { entry, operation, credits, rebilled } of bill.differences ?? []) {
        await print(terminal, `  ${entry}  ${operation.padEnd(12)}${credits} -> ${rebilled}`);
      }
    });
};

const sums = ['opening', 'granted', 'charged', 'refunded', 'corrected', 'expired', 'reserved', 'closing'] as const;

const parsePriceBook = (path: string): PriceBook => {
  try {
    return priceBookSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new InvalidArgumentError(
      `It must be a file like {"version": "2027", "prices": {"transcript": 2}}: ${reason}`,
    );
  }
};

/** A day is its first moment in UTC. A day that no calendar has is refused, not moved on. */
const parseTime = (text: string): string => {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/.test(text);
  const time = new Date(isDay || isTime ? text : Number.NaN);
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 10) !== text.slice(0, 10)) {
    throw new InvalidArgumentError('It must be a day like 2026-11-01 or a time like 2026-11-01T00:00:00Z.');
  }
  return time.toISOString();
};

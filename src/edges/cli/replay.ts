import { type Command, InvalidArgumentError } from 'commander';
import { type NamedAccount, onAccount, withAccount } from './named-account.ts';
import { progressInParts } from './progress.ts';
import { print, type Terminal } from './terminal.ts';

type Options = NamedAccount & { from: string; to: string; json?: boolean };

/** `steno replay`: the bill of a period, computed from the events alone; no read model takes part. */
export const addReplay = (program: Command, terminal: Terminal): void => {
  const replay = program.command('replay').description('compute the bill of a period from events alone');
  withAccount(replay)
    .requiredOption('--from <date>', 'first day or time (UTC), included', parseTime)
    .requiredOption('--to <date>', 'last day or time (UTC), not included', parseTime)
    .option('--json', 'print JSON')
    .action(async ({ from, to, json = false, ...named }: Options, command: Command) => {
      if (from >= to) command.error('error: --from must be earlier than --to');
      using shown = progressInParts(terminal);
      const bill = await onAccount(terminal, named, ({ actions }, { accountId }) =>
        actions.replayBill({ accountId, from, to }, shown),
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
    });
};

const sums = ['opening', 'granted', 'charged', 'refunded', 'expired', 'reserved', 'closing'] as const;

/** A day is its first moment in UTC. A day that no calendar has is refused, not moved on. */
const parseTime = (text: string): string => {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/.test(text);
  const time = new Date(isDay || isTime ? text : Number.NaN);
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 10) !== text.slice(0, 10)) {
    throw new InvalidArgumentError('It is a day like 2026-11-01 or a time like 2026-11-01T00:00:00Z.');
  }
  return time.toISOString();
};

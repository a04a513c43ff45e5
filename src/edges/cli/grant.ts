import { type Command, InvalidArgumentError } from 'commander';
import { newId } from '../../kernel/ids.ts';
import { accountIdOf, type NamedAccount, requireOneName, withAccount } from './named-account.ts';
import { operatorCall } from './operator-call.ts';
import { parseId, sentOnce } from './sent-once.ts';
import { print, type Terminal } from './terminal.ts';

type Options = NamedAccount & { credits: number; id?: string; json?: boolean };

const most = 1_000_000_000;

/** `steno grant`: gives credits that do not expire. The same --id twice gives them once. */
export const addGrant = (program: Command, terminal: Terminal): void => {
  withAccount(program.command('grant').description('give credits to an account'))
    .requiredOption('--credits <n>', 'how many', parseCredits)
    .option('--id <id>', 'names this grant: sent again, it is given once', parseId)
    .option('--json', 'print JSON')
    .action(async ({ credits, id = newId('grt'), json = false, ...named }: Options) => {
      requireOneName(named);
      await using application = await terminal.openApplication();
      const account = await accountIdOf(application, named);
      const grant = { grantId: id, amount: credits, expiresAt: null };
      const { eventId, isRepeat } = await sentOnce(terminal, id, () =>
        application.commands.grantCredits(operatorCall(account, terminal.signal), grant),
      );
      const granted = { account_id: account, grant_id: id, credits, event_id: eventId };
      const said = isRepeat
        ? `${account} has these ${credits} credits already (${id}); nothing more was granted`
        : `granted ${credits} credits to ${account} (${id})`;
      await print(terminal, json ? JSON.stringify({ ...granted, repeated: isRepeat }) : said);
    });
};

/** Whole credits of an option. */
export const parseCredits = (text: string): number => {
  const credits = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (credits >= 1 && credits <= most) return credits;
  throw new InvalidArgumentError(`It is a whole number from 1 to ${most}.`);
};

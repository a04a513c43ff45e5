import type { Command } from 'commander';
import { newId } from '../../kernel/ids.ts';
import { type NamedAccount, onAccount, withAccount } from './named-account.ts';
import { parseCredits } from './option-parsers.ts';
import { parseId, sentOnce } from './sent-once.ts';
import { print, type Terminal } from './terminal.ts';

type Options = NamedAccount & { credits: number; id?: string; json?: boolean };

/** `steno grant`: gives credits that do not expire. The same --id twice gives them once. */
export const addGrant = (program: Command, terminal: Terminal): void => {
  withAccount(program.command('grant').description('give credits to an account'))
    .requiredOption('--credits <n>', 'how many', parseCredits)
    .option('--id <id>', 'names this grant: sent again, it is given once', parseId)
    .option('--json', 'print JSON')
    .action(({ credits, id = newId('grt'), json = false, ...named }: Options) =>
      onAccount(terminal, named, async ({ commands }, call) => {
        const account = call.accountId;
        const grant = { grantId: id, amount: credits, expiresAt: null };
        const { eventId, isRepeat } = await sentOnce(terminal, id, () =>
          commands.grantCredits(call, grant),
        );
        const granted = { account_id: account, grant_id: id, credits, event_id: eventId };
        const said = isRepeat
          ? `${account} has these ${credits} credits already (${id}); nothing more was granted`
          : `granted ${credits} credits to ${account} (${id})`;
        await print(terminal, json ? JSON.stringify({ ...granted, repeated: isRepeat }) : said);
      }),
    );
};

import { type Command, InvalidArgumentError } from 'commander';
import { newId } from '../../kernel/ids.ts';
import { type NamedAccount, onAccount, withAccount } from './named-account.ts';
import { parseCredits } from './option-parsers.ts';
import { parseId, sentOnce } from './sent-once.ts';
import { print, type Terminal } from './terminal.ts';

type Options = NamedAccount & {
  charge: string;
  credits: number;
  id?: string;
  why: string;
  json?: boolean;
};

/** `steno refund`: gives credits back for a charge, never more than it took. The same --id twice gives them back once. */
export const addRefund = (program: Command, terminal: Terminal): void => {
  const refund = program
    .command('refund')
    .description('give back what a charge took, or a part of it');
  withAccount(refund, 'the account that paid')
    .requiredOption(
      '--charge <id>',
      'the entry of the ledger: CreditsCharged or ReservationSettled',
    )
    .requiredOption('--credits <n>', 'how many', parseCredits)
    .option('--id <id>', 'names this refund: sent again, it is given back once', parseId)
    .option('--why <text>', 'stands in the ledger; its owner reads it', parseWhy, 'by_operator')
    .option('--json', 'print JSON')
    .action(({ charge, credits, id = newId('rfd'), why, json = false, ...named }: Options) =>
      onAccount(terminal, named, async ({ commands }, call) => {
        const account = call.accountId;
        const refund = { refundId: id, chargeId: charge, amount: credits, why };
        const { eventId, isRepeat } = await sentOnce(terminal, id, () =>
          commands.refundCharge(call, refund),
        );
        const about = { account_id: account, charge_id: charge, refund_id: id };
        const refunded = { ...about, credits, event_id: eventId, repeated: isRepeat };
        const said = isRepeat
          ? `${account} has these ${credits} credits of ${charge} back already (${id}); nothing more was given back`
          : `gave ${credits} credits of ${charge} back to ${account} (${id})`;
        await print(terminal, json ? JSON.stringify(refunded) : said);
      }),
    );
};

const longestWhy = 200;

const parseWhy = (text: string): string => {
  if (text.trim() !== '' && text.length <= longestWhy) return text.trim();
  throw new InvalidArgumentError(`It has 1 to ${longestWhy} characters.`);
};

import { type Command, InvalidArgumentError } from 'commander';
import { newId } from '../../kernel/ids.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { type NamedAccount, onAccount, withAccount } from './named-account.ts';
import { parseCorrection, parseCredits } from './option-parsers.ts';
import { print, say, type Terminal } from './terminal.ts';

type Grant = NamedAccount & { credits: number; id?: string; json?: boolean };

/** `steno grant`: gives credits that do not expire. The same --id twice gives them once. */
export const addGrant = (program: Command, terminal: Terminal): void => {
  withAccount(program.command('grant').description('give credits to an account'))
    .requiredOption('--credits <n>', 'how many', parseCredits)
    .option('--id <id>', 'idempotency key: repeated with the same id, the grant is made once', parseId)
    .option('--reason <text>', 'recorded in the ledger, where the owner reads it', parseWhy)
    .option('--json', 'print JSON')
    .action(({ credits, id = newId('grt'), reason, json = false, ...named }: Grant & { reason?: string }) =>
      onAccount(terminal, named, async ({ commands }, call) => {
        const account = call.accountId;
        const granted = { account_id: account, grant_id: id, credits };
        const done = await sentOnce(terminal, id, () =>
          commands.grantCredits(call, { grantId: id, amount: credits, expiresAt: null, why: reason }),
        );
        const said = done.repeated
          ? `${account} has these ${credits} credits already (${id}); nothing more was granted`
          : `granted ${credits} credits to ${account} (${id})`;
        await print(terminal, json ? JSON.stringify({ ...granted, ...done }) : said);
      }),
    );
};

/** `steno refund`: gives credits back for a charge, never more than it took. The same --id twice gives them back once. */
export const addRefund = (program: Command, terminal: Terminal): void => {
  const refund = program.command('refund').description('refund a charge, in full or in part');
  type Refund = Grant & { charge: string; why?: string; reason?: string };
  withAccount(refund, 'the account that paid')
    .requiredOption('--charge <id>', 'the entry of the ledger: CreditsCharged or ReservationSettled')
    .requiredOption('--credits <n>', 'how many', parseCredits)
    .option('--id <id>', 'idempotency key: repeated with the same id, the refund is made once', parseId)
    .option('--reason <text>', 'recorded in the ledger and on the statement, where the owner reads it', parseWhy)
    .option('--why <text>', 'the same', parseWhy)
    .option('--json', 'print JSON')
    .action(
      ({ charge, credits, id = newId('rfd'), reason, why = reason ?? 'by_operator', json = false, ...named }: Refund) =>
        onAccount(terminal, named, async ({ commands }, call) => {
          const account = call.accountId;
          const refunded = { account_id: account, charge_id: charge, refund_id: id, credits };
          const done = await sentOnce(terminal, id, () =>
            commands.refundCharge(call, { refundId: id, chargeId: charge, amount: credits, why }),
          );
          const said = done.repeated
            ? `${account} has these ${credits} credits of ${charge} back already (${id}); nothing more was given back`
            : `gave ${credits} credits of ${charge} back to ${account} (${id})`;
          await print(terminal, json ? JSON.stringify({ ...refunded, ...done }) : said);
        }),
    );
};

/**
 * `steno account correct`: an entry of its own that corrects an earlier one; the next statement names it as a credit note. Above 0
 * gives, below 0 takes, never more than is available. The same --id twice corrects once.
 */
export const addCorrection = (account: Command, terminal: Terminal): void => {
  type Correction = Grant & { entry: string; reason: string };
  withAccount(account.command('correct').description('correct the balance for an entry of the ledger'))
    .requiredOption('--entry <id>', 'the entry of the ledger; it stays as it is')
    .requiredOption('--credits <n>', 'how many are given, or below 0 taken: --credits=-2', parseCorrection)
    .requiredOption('--reason <text>', 'stands in the ledger and on the statement; its owner reads it', parseWhy)
    .option('--id <id>', 'names this correction: sent again, it is made once', parseId)
    .option('--json', 'print JSON')
    .action(({ entry, credits, reason, id = newId('cor'), json = false, ...named }: Correction) =>
      onAccount(terminal, named, async ({ commands, actions }, call) => {
        const { accountId } = call;
        const done = await sentOnce(terminal, id, () =>
          commands.correctBalance(call, { correctionId: id, entryId: entry, amount: credits, why: reason }),
        );
        const number = await actions.creditNoteNumber({ accountId, eventId: done.event_id ?? '' });
        const made = { account_id: accountId, entry, correction_id: id, number, credits, ...done };
        const said = done.repeated
          ? `${accountId} has the correction ${number} already (${id}); nothing more was corrected`
          : `${number} corrects ${entry} of ${accountId} by ${credits} credits (${id})`;
        await print(terminal, json ? JSON.stringify(made) : said);
      }),
    );
};

const parseText = (longest: number) => (text: string) => {
  if (text.trim() !== '' && text.length <= longest) return text;
  throw new InvalidArgumentError(`It must have 1 to ${longest} characters.`);
};

const parseWhy = (text: string): string => parseText(200)(text).trim();

/** An idempotency key of an operator command. */
const parseId = parseText(255);

/** Runs a command under its `id`. If the response is lost, prints how to repeat it under the same id. */
const sentOnce = async (
  terminal: Terminal,
  id: string,
  send: () => Promise<{ readonly eventId: string | null; readonly isRepeat: boolean }>,
) => {
  try {
    const { eventId, isRepeat } = await send();
    return { event_id: eventId, repeated: isRepeat };
  } catch (error) {
    if (!(error instanceof Refusal)) {
      say(terminal, `It may have taken effect: repeat it with --id ${id}, and it takes effect once.`);
    }
    throw error;
  }
};

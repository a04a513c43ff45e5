import { type Command, InvalidArgumentError } from 'commander';
import { newId } from '../../kernel/ids.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { type NamedAccount, onAccount, withAccount } from './named-account.ts';
import { parseCorrection, parseCredits } from './option-parsers.ts';
import { print, say, type Terminal } from './terminal.ts';

type Grant = NamedAccount & { credits: number; id?: string; json?: boolean };

/** `steno grant`: gives credits that do not expire. The same --id twice gives them once. */
export const addGrant = (program: Command, terminal: Terminal): void => {
  withAccount(program.command('grant').description('grant credits to an account'))
    .requiredOption('--credits <n>', 'how many', parseCredits)
    .option('--id <id>', 'idempotency key: repeated with the same id, the grant is made once', parseId)
    .option('--reason <text>', 'recorded in the ledger, visible to the owner', parseWhy)
    .option('--json', 'print JSON')
    .action(({ credits, id = newId('grt'), reason, json = false, ...named }: Grant & { reason?: string }) =>
      onAccount(terminal, named, async ({ commands }, call) => {
        const account = call.accountId;
        const granted = { account_id: account, grant_id: id, credits };
        const done = await sentOnce(terminal, id, () =>
          commands.grantCredits(call, { grantId: id, amount: credits, expiresAt: null, why: reason }),
        );
        const said = done.repeated
          ? `${account} already has these ${credits} credits (${id}); nothing more was granted`
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
    .requiredOption('--charge <id>', 'the ledger entry: CreditsCharged or ReservationSettled')
    .requiredOption('--credits <n>', 'how many', parseCredits)
    .option('--id <id>', 'idempotency key: repeated with the same id, the refund is made once', parseId)
    .option('--reason <text>', 'recorded in the ledger and on the statement, visible to the owner', parseWhy)
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
            ? `${account} was already refunded these ${credits} credits of ${charge} (${id}); nothing more was refunded`
            : `refunded ${credits} credits of ${charge} to ${account} (${id})`;
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
  withAccount(account.command('correct').description('correct the balance for a ledger entry'))
    .requiredOption('--entry <id>', 'the ledger entry to correct; it is not changed')
    .requiredOption('--credits <n>', 'how many to add, or deduct if negative: --credits=-2', parseCorrection)
    .requiredOption('--reason <text>', 'recorded in the ledger and on the statement, visible to the owner', parseWhy)
    .option('--id <id>', 'idempotency key: repeated with the same id, the correction is made once', parseId)
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
          ? `${accountId} already has the correction ${number} (${id}); nothing more was corrected`
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

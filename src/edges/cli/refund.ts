import type { Command } from 'commander';
import { parseCredits } from './grant.ts';
import { operatorCall } from './operator-call.ts';
import { print, type Terminal } from './terminal.ts';

type Options = { account: string; charge: string; credits: number; why: string; json?: boolean };

/** `steno refund`: gives credits back for a charge, never more than it took; sent again, it finds nothing left. */
export const addRefund = (program: Command, terminal: Terminal): void => {
  program
    .command('refund')
    .description('give back what a charge took, or a part of it')
    .requiredOption('--account <id>', 'the account that paid')
    .requiredOption(
      '--charge <id>',
      'the entry of the ledger: CreditsCharged or ReservationSettled',
    )
    .requiredOption('--credits <n>', 'how many', parseCredits)
    .option('--why <text>', 'stands in the ledger; its owner reads it', 'by_operator')
    .option('--json', 'print JSON')
    .action(async ({ account, charge, credits, why, json = false }: Options) => {
      await using doors = await terminal.openDoors();
      const { eventId } = await doors.commands.refundCharge(
        operatorCall(account, terminal.signal),
        { chargeId: charge, amount: credits, why },
      );
      const refunded = { account_id: account, charge_id: charge, credits, event_id: eventId };
      await print(
        terminal,
        json ? JSON.stringify(refunded) : `gave ${credits} credits back to ${account} (${charge})`,
      );
    });
};

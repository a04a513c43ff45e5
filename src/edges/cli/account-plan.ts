import { type Command, Option } from 'commander';
import { z } from 'zod';
import { planKeys } from '../../queries.ts';
import { operatorCall } from './operator-call.ts';
import { print, type Terminal } from './terminal.ts';

const Options = z.object({
  account: z.string(),
  plan: z.enum(planKeys),
  json: z.boolean().default(false),
});

/** `steno account plan`: puts an account on another plan, from now on. On the plan it has already, nothing happens. */
export const addAccountPlan = (account: Command, terminal: Terminal): void => {
  account
    .command('plan')
    .description('put an account on a plan')
    .requiredOption('--account <id>', 'the account')
    .addOption(
      new Option('--plan <plan>', 'its plan from now on').choices(planKeys).makeOptionMandatory(),
    )
    .option('--json', 'print JSON')
    .action(async (given: unknown) => {
      const { account: accountId, plan, json } = Options.parse(given);
      await using application = await terminal.openApplication();
      await application.commands.assignPlan(operatorCall(accountId, terminal.signal), { plan });
      const done = { account_id: accountId, plan };
      await print(terminal, json ? JSON.stringify(done) : `${accountId} is on the plan ${plan}`);
    });
};

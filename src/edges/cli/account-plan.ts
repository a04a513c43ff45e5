import { type Command, Option } from 'commander';
import { z } from 'zod';
import { planKeys } from '../../queries.ts';
import { accountIdOf, requireOneName, withAccount } from './named-account.ts';
import { operatorCall } from './operator-call.ts';
import { print, type Terminal } from './terminal.ts';

const Options = z.object({
  account: z.string().optional(),
  email: z.string().optional(),
  plan: z.enum(planKeys),
  json: z.boolean().default(false),
});

/** `steno account plan`: puts an account on another plan at once. Does nothing if the account has that plan already. */
export const addAccountPlan = (account: Command, terminal: Terminal): void => {
  withAccount(account.command('plan').description('put an account on a plan'))
    .addOption(
      new Option('--plan <plan>', 'its plan from now on').choices(planKeys).makeOptionMandatory(),
    )
    .option('--json', 'print JSON')
    .action(async (given: unknown) => {
      const { plan, json, ...named } = Options.parse(given);
      requireOneName(named);
      await using application = await terminal.openApplication();
      const accountId = await accountIdOf(application, named);
      await application.commands.assignPlan(operatorCall(accountId, terminal.signal), { plan });
      const done = { account_id: accountId, plan };
      await print(terminal, json ? JSON.stringify(done) : `${accountId} is on the plan ${plan}`);
    });
};

import { type Command, Option } from 'commander';
import { exit } from './exit-codes.ts';
import { accountIdOf, type NamedAccount, requireOneName, withAccount } from './named-account.ts';
import type { Loss } from './operator-interface.ts';
import { parserOfNames } from './option-parsers.ts';
import { progressInParts } from './progress.ts';
import { printRows } from './table.ts';
import { print, printBytes, say, styled, type Terminal } from './terminal.ts';

/**
 * `steno serve`, one role of it alone (`steno api`, `steno worker`), and `steno demo`: the server beside a simulated video
 * platform, with an account and its key.
 */
export const addServers = (program: Command, terminal: Terminal): void => {
  for (const [name, about, run] of [
    ['serve', 'run the server: API and worker, or only the ROLE that is set', () => terminal.serve(null)],
    ['api', 'run only the api', () => terminal.serve('api')],
    ['worker', 'run only the worker', () => terminal.serve('worker')],
    ['demo', 'run the server beside a simulated video platform, with an account and its key', terminal.demo],
  ] as const) {
    program
      .command(name)
      .description(about)
      .action(async () => terminal.end(await run()));
  }
};

/** `steno migrate`: brings the database to this version; prints what it applied, or would apply. */
export const addMigrate = (program: Command, terminal: Terminal): void => {
  program
    .command('migrate')
    .description('apply pending migrations')
    .option('--dry-run', 'only print them')
    .option('--json', 'print JSON')
    .action(async ({ dryRun = false, json = false }: { dryRun?: boolean; json?: boolean }) => {
      const names = await terminal.migrate({ isDryRun: dryRun });
      if (json) return await print(terminal, JSON.stringify({ dry_run: dryRun, migrations: names }));
      for (const name of names) await print(terminal, name);
      if (names.length === 0) say(terminal, 'the database is up to date');
    });
};

/** `steno log adopt`: the remedy for a log that was put back in parts, which a server refuses to start on. */
export const addLogAdopt = (log: Command, terminal: Terminal): void => {
  log
    .command('adopt')
    .description('accept the events as they are if other tables of the log contradict them')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      const settled = await application.actions.adoptLog();
      if (json) await print(terminal, JSON.stringify({ settled }));
      else for (const sentence of settled) await print(terminal, sentence);
      if (settled.length === 0) say(terminal, 'nothing contradicts the events');
      else say(terminal, 'repaired; next: steno projections rebuild, then steno verify');
    });
};

/** `steno relay`: the relay of the events to a KurrentDB. */
export const addRelay = (relay: Command, terminal: Terminal): void => {
  relay
    .command('status')
    .description('print the progress of the relay to KurrentDB, and the error if it has failed')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      const { state, position, lagPositions, lagSeconds, failure } = await application.queries.relay();
      if (json) {
        const lag = { lag_positions: lagPositions, lag_seconds: lagSeconds };
        return await print(terminal, JSON.stringify({ state, position, ...lag, failure }));
      }
      if (state === 'not_configured') return await print(terminal, 'not configured: EVENTSTORE_URL is not set');
      if (state === 'not_started') return await print(terminal, 'not started: no worker has relayed yet');
      await print(terminal, `${state}: at position ${position}, ${lagPositions} positions (${lagSeconds} s) behind`);
      if (failure !== null) await print(terminal, `failure  ${failure}`);
    });
};

/** What is lost with SECRET_KEY, and the way on. */
const lossTexts: Readonly<Record<Loss, string>> = {
  passwords: 'they can no longer be verified; each owner sets a new one by a link',
  'webhook-secrets': 'deliveries are signed with new ones; each owner rotates them and updates the receivers',
  answers: 'a repeat under an Idempotency-Key repeats the work, is charged once, and shows no secret again',
};

const lossNames = Object.keys(lossTexts) as Loss[];

/** `steno secret adopt`: the recovery if SECRET_KEY is lost, or the database was created with a wrong one. */
export const addSecretAdopt = (secret: Command, terminal: Terminal): void => {
  secret
    .command('adopt')
    .description('adopt SECRET_KEY for a database whose own key is lost')
    .addOption(
      new Option('--accept-loss <what>', 'comma-separated losses to accept, as printed by the command')
        .argParser(parserOfNames(lossNames, `it must be a comma-separated list of ${lossNames.join(', ')}`))
        .default([], 'nothing'),
    )
    .action(async ({ acceptLoss }: { acceptLoss: readonly Loss[] }) => {
      const { isDone, accounts, displaced, losses, isMailing } = await terminal.adoptSecret(acceptLoss);
      for (const { loss, count } of losses) {
        const lost = counted(count, loss === 'answers' ? 'response' : 'account');
        say(terminal, `lost: ${loss} (${lost}): ${lossTexts[loss]}`);
      }
      if (!isDone) {
        const named = losses.map(({ loss }) => loss).join(',');
        say(
          terminal,
          `nothing was changed. With the former key, set it as SECRET_KEY_PREVIOUS and start the server: nothing is lost. Without it: steno secret adopt --accept-loss ${named}`,
        );
        return terminal.end(exit.failed);
      }
      say(terminal, 'the database now accepts only this SECRET_KEY');
      const indexed = counted(accounts, 'mailbox', 'mailboxes');
      say(terminal, `reindexed: ${indexed}; API keys and sessions remain valid`);
      for (const accountId of displaced) {
        say(terminal, `${accountId} has the mailbox of an older account, and can be found only by its id`);
      }
      if (losses.some(({ loss }) => loss === 'passwords')) {
        say(
          terminal,
          isMailing
            ? 'owners get a link at /forgot, or from you: steno account password --email … --link'
            : 'no mail is sent: give owners a link from steno account password --email … --link',
        );
      }
    });
};

/** `steno docs`: regenerates the documents that are generated from the program; a test checks that they are up to date. */
export const addDocs = (program: Command, terminal: Terminal): void => {
  program
    .command('docs')
    .description('write the generated documents')
    .action(async () => {
      for (const path of await terminal.writeDocuments()) await print(terminal, path);
    });
};

/** `steno openapi`: the description of the API, for tools that make clients of it. */
export const addOpenApi = (program: Command, terminal: Terminal): void => {
  program
    .command('openapi')
    .description('print the OpenAPI description of the API')
    .action(async () => printBytes(terminal, await terminal.openApi()));
};

const colors = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

/** `steno doctor`: checks all dependencies of the service; each problem is printed with its remedy. */
export const addDoctor = (program: Command, terminal: Terminal): void => {
  program
    .command('doctor')
    .description('check the setup; each problem comes with its fix')
    .option('--json', 'print one JSON object per line')
    .action(async ({ json = false }: { json?: boolean }) => {
      let hasFailed = false;
      for await (const check of terminal.checks()) {
        hasFailed ||= check.status === 'failed';
        if (json) {
          await print(terminal, JSON.stringify(check));
          continue;
        }
        const status = check.status.padEnd(7);
        const shown = styled(terminal, terminal.stdout, colors[check.status], status);
        await print(terminal, `${shown} ${check.name.padEnd(12)} ${check.message}`);
        if (check.fix !== null) await print(terminal, `${' '.repeat(21)}fix: ${check.fix}`);
      }
      if (hasFailed) terminal.end(exit.failed);
    });
};

type Options = NamedAccount & { json?: boolean };

/** `steno verify`: proves the books; prints the first bad position first and ends with 1 when there is one. */
export const addVerify = (program: Command, terminal: Terminal): void => {
  const verify = program
    .command('verify')
    .description('check hash chains, balances and read models against the events');
  withAccount(verify, 'its chain and balances; without it, all accounts and every read model')
    .option('--json', 'print JSON')
    .action(async ({ json = false, ...named }: Options) => {
      const isOfAll = named.account === undefined && named.email === undefined;
      if (!isOfAll) requireOneName(named);
      await using application = await terminal.openApplication({ mayCreate: false });
      const accountId = isOfAll ? null : await accountIdOf(application, named);
      using shown = progressInParts(terminal);
      const { streams, events, problems } = await application.actions.verify({ accountId }, shown);
      if (json) {
        await print(terminal, JSON.stringify({ ok: problems.length === 0, streams, events, problems }));
      } else {
        for (const { stream, position, message } of problems) {
          await print(terminal, `${position ?? '-'}\t${stream}\t${message}`);
        }
        const books = `${counted(events, 'entry', 'entries')} in ${counted(streams, 'ledger stream')}`;
        const rest = isOfAll ? ', every read model compared' : '';
        say(terminal, `${books} verified${rest}: ${counted(problems.length, 'problem')}`);
      }
      if (problems.length > 0) terminal.end(exit.failed);
    });
};

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** `steno projections status`: how far each read model has come. */
export const addProjectionsStatus = (projections: Command, terminal: Terminal): void => {
  projections
    .command('status')
    .alias('list')
    .description('list the read models, and how far each is behind the events')
    .option('--json', 'print one JSON object per line')
    .action(async ({ json = false }: { json?: boolean }) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      const rows = (await application.actions.readModels()).map(({ lagPositions, lagSeconds, ...row }) => ({
        ...row,
        lag_positions: lagPositions,
        lag_seconds: lagSeconds,
      }));
      const columns = { name: 'name', version: 'version', position: 'position', behind: 'lag_positions' } as const;
      await printRows(terminal, rows, { ...columns, seconds: 'lag_seconds', failure: 'failure' }, json);
    });
};

type RebuildOptions = { sideBySide?: boolean; json?: boolean };

/** `steno projections rebuild`: folds a read model anew from the events and says how the old one differed. */
export const addProjectionsRebuild = (projections: Command, terminal: Terminal): void => {
  projections
    .command('rebuild')
    .description('rebuild read models from the events')
    .argument('[name]', 'one read model; without it, all')
    .option('--side-by-side', 'build a copy beside the live one and switch if they are equal')
    .option('--json', 'print one JSON object per line')
    .action(async (name: string | undefined, { sideBySide = false, json = false }: RebuildOptions) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      using shown = progressInParts(terminal);
      const rebuilds = application.actions.rebuildProjections({ name: name ?? null, isSideBySide: sideBySide }, shown);
      let isSwitched = true;
      for await (const rebuild of rebuilds) {
        isSwitched &&= rebuild.isSwitched;
        const { name: model, events, elapsedMs, differences, isSwitched: switched, message } = rebuild;
        const row = { name: model, events, elapsed_ms: elapsedMs, differences, switched, message };
        const notes = `${message === null ? '' : ` (${message})`}${switched ? '' : ', not switched'}`;
        const said = `${model}: ${events} events in ${elapsedMs} ms, ${differences} rows differed${notes}`;
        await print(terminal, json ? JSON.stringify(row) : said);
      }
      if (!isSwitched) terminal.end(exit.failed);
    });
};

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '#src/adapters/telemetry/log.ts';
import { openCore } from '#src/app/open-core.ts';
import { openDatabase } from '#src/app/open-database.ts';
import { startApp } from '#src/app.ts';
import { type Config, loadConfig } from '#src/config.ts';
import { elapsedMs } from '#src/kernel/clock.ts';
import { newToken, newUuid } from '#src/kernel/ids.ts';
import { historyDays, writeHistory } from './demo-history.ts';
import { startSimulator } from './main.ts';
import { samples } from './samples.ts';

/** The account of the demo is kept in a file of mode 600, because a key is shown only once. */
type DemoAccount = {
  readonly email: string;
  readonly password: string;
  readonly accountId: string;
  readonly apiKey: string;
};

type App = Awaited<ReturnType<typeof startApp>>;

/** `npm` forwards the Ctrl-C that the terminal already sent to this process: signals within this time count as one. */
const echoMs = 500;

/** Aborts at the first Ctrl-C; a second one ends the process at once. */
const stopping = (): AbortSignal => {
  const controller = new AbortController();
  let firstAt: number | null = null;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      firstAt ??= elapsedMs();
      if (elapsedMs() - firstAt > echoMs) process.exit(130);
      controller.abort();
    });
  }
  return controller.signal;
};

const accountFile = 'demo-account.json';

/** In a shell with the variables that the demo prints, DATA_DIR is the folder of the demo itself. */
const demoFolder = (dataDir: string): string =>
  existsSync(join(dataDir, accountFile)) ? dataDir : join(dataDir, 'demo');

/** The account of an earlier start if its key is still valid, else a new one. */
const demoAccount = async ({ commands, queries }: App['core'], dataDir: string): Promise<DemoAccount> => {
  const path = join(dataDir, accountFile);
  if (existsSync(path)) {
    const kept: DemoAccount = JSON.parse(readFileSync(path, 'utf8'));
    if ((await queries.findKeyHolder(kept.apiKey)) !== null) return kept;
  }
  const email = `demo-${newUuid().slice(0, 8)}@example.com`;
  const password = newToken();
  const made = await commands.createAccount({ email, password, name: 'Demo', plan: 'pro' });
  const account = { email, password, ...made };
  writeFileSync(path, `${JSON.stringify(account, null, 2)}\n`, { mode: 0o600 });
  return account;
};

/** The shell variables that point the requests and commands of the documents at this server and its database. */
const settings = (account: DemoAccount, dataDir: string, origin: string): string =>
  Object.entries({ KEY: account.apiKey, ACCOUNT: account.accountId, DATA_DIR: dataDir, PLATFORM_ORIGIN: origin })
    .map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'`)
    .join(' ');

/** The second shell may be in another folder. */
const receiver = fileURLToPath(new URL('../../docs/webhook-receiver.mjs', import.meta.url));

/** The channel of the samples that publishes when it is asked to. */
const channel = 'UCharbournotes0000000001';

const welcome = (url: string, { apiKey }: DemoAccount, shell: string, platform: string): string => `
Steno runs at ${url} beside a simulated video platform; nothing leaves this machine.

API key   ${apiKey}

Try it    curl '${url}/v1/transcripts/${samples.prose}?format=txt&timestamps=true' -H 'Authorization: Bearer ${apiKey}'

Beside it export ${shell}

Website   ${url}

Videos    ${samples.prose}  English, written and automatic
          ${samples.manyLanguages}  six languages: add &lang=ja or &lang=ar
          ${samples.long}  three hours
          ${samples.private}  refused: private
Webhooks  node ${receiver} ${url}
          in the second shell; it registers itself, and verifies what it gets about
A job     curl '${url}/v1/jobs' -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '{"ids": ["${samples.prose}"]}'
Follow    curl '${url}/v1/follows' -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '{"source": "${channel}", "max_credits_per_period": 10}'
          and then the channel publishes a video, which is looked for within the interval, or a minute later with POST /v1/follows/ID/check:
          curl '${platform}/_simulator/publish' -d '{"listId": "${channel}"}'
Clients   clients/typescript, clients/python  each with a README; STENO_URL=${url}
Look at   ${url}/v1/usage  (with the key)
          ${url}/v1/ledger  (with the key)
          ${url}/api/status
          ${url}/openapi.json

Ctrl-C ends it. The account and its books are kept for the next start.
`;

/** Makes the account of the demo 90 days ago, with use on each day since; an account that is there stays as it is. */
const historyOnce = async (config: Config): Promise<void> => {
  if (existsSync(join(config.dataDir, accountFile))) {
    process.stderr.write(`${config.dataDir} has an account already: --history makes a new one in an empty DATA_DIR.\n`);
    return;
  }
  process.stderr.write(`Writing ${historyDays} days of use.\n`);
  const today = new Date(new Date().toISOString().slice(0, 10));
  let now = new Date(today.getTime() - (historyDays + 1) * 86_400_000);
  const logger = createLogger({ level: config.logLevel });
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config, { logger }));
  const core = await openCore(stack, config, database, { logger, isFolding: true, clock: () => now });
  const { accountId } = await demoAccount(core, config.dataDir);
  await writeHistory(core, {
    ...{ accountId, today },
    at: (moment) => {
      now = moment;
    },
  });
};

/** The whole product on this machine: simulator, embedded Postgres, server and an account with a key. */
const demo = async (): Promise<void> => {
  const stop = stopping();
  process.stderr.write('Starting; the first start takes some seconds more.\n');
  await using simulator = await startSimulator();
  const { PORT = '3000', HOST = '127.0.0.1', DATA_DIR = '.data' } = process.env;
  // No other variables are passed on: a demo must not write into a configured database.
  const config = loadConfig({
    PORT,
    HOST,
    DATA_DIR: demoFolder(DATA_DIR),
    LOG_LEVEL: 'warn',
    PLATFORM_ORIGIN: simulator.origin,
    // Receivers of webhooks on this machine.
    OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
    WEBHOOK_PORTS: '1-65535',
    EXAMPLE_VIDEOS: `${samples.prose}=How a lighthouse is built;${samples.manyLanguages}=One video in six languages;${samples.long}=Three hours`,
  });
  if (process.argv.includes('--history')) await historyOnce(config);
  await using app = await startApp(config, { logger: createLogger({ level: config.logLevel }) });
  if (app.url === null) throw new Error('the demo listens nowhere');
  const account = await demoAccount(app.core, config.dataDir);
  const shell = settings(account, config.dataDir, simulator.origin);
  process.stdout.write(welcome(app.url, account, shell, simulator.origin));
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
  process.stderr.write('Stopping.\n');
};

try {
  await demo();
  process.exitCode = 0;
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

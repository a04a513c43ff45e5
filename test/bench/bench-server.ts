import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createLogger } from '#src/adapters/telemetry/log.ts';
import { openApplication } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import { newId } from '#src/kernel/ids.ts';
import { hashOfSecret, newSecret } from '#src/keys/key-secret.ts';
import { generatedLines, generatedVideo } from '#test/simulator/generated-videos.ts';
import { type Simulator, startSimulator } from '#test/simulator/main.ts';
import type { SampleVideo } from '#test/simulator/samples.ts';
import { testDatabase } from '#test/support/database.ts';
import { type Running, startProgram } from '#test/support/program.ts';
import { ledgerAt } from './bench-ledger.ts';

/** 23 minutes of manual captions: 200 lines. */
export const videoId = 'vid-0000001';
/** Three hours: 1,566 lines. */
export const longVideoId = 'vid-0000002';
/** Twelve hours: 20,000 lines. */
export const longestVideoId = 'vid-0000005';

/** The platform with both videos. */
export const simulatedPlatform = (): Promise<Simulator> =>
  startSimulator({
    videos: [
      videoOf(videoId, 200, 1_380),
      videoOf(longVideoId, 1_566, 10_800),
      videoOf(longestVideoId, 20_000, 43_200),
    ],
  });

const videoOf = (id: string, lines: number, durationS: number): SampleVideo => {
  const video = generatedVideo(id);
  if (video === undefined) throw new Error(`the simulator has no ${id}`);
  const tracks = video.tracks.map((track) => ({ ...track, lines: generatedLines(lines) }));
  return { ...video, durationS, tracks };
};

export type BenchServer = AsyncDisposable & {
  readonly url: string;
  readonly pid: number;
  readonly databaseUrl: string;
  /** The environment of the process. */
  readonly settings: Readonly<Record<string, string>>;
  readonly accountId: string;
  /** Ends the process; the database stays. */
  stop(): Promise<void>;
  /** New keys of the account. The limit of a key is counted for each of them as for any other. */
  keys(count: number): Promise<readonly string[]>;
  /** A key of each of so many new accounts. */
  keysOfAccounts(count: number): Promise<readonly string[]>;
};

/** `steno serve` in a process of its own, on a new database, beside the simulated platform, with one account. */
export const startBenchServer = async (environment: Readonly<Record<string, string>> = {}): Promise<BenchServer> => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase());
  const platform = stack.use(await simulatedPlatform());
  const settings = {
    DATABASE_URL: database.url,
    SECRET_KEY: randomUUID() + randomUUID(),
    PLATFORM_ORIGIN: platform.origin,
    LOG_LEVEL: 'warn',
  };
  const accountId = await makeAccount(settings);
  const program: Running = stack.use(startProgram(['serve'], { ...settings, ...environment }));
  program.child.stderr?.pipe(process.stderr);
  const url = await program.ready;
  const parts = stack.move();
  return {
    url,
    pid: program.pid,
    databaseUrl: database.url,
    settings,
    accountId,
    stop: () => program[Symbol.asyncDispose](),
    keys: (count) => makeKeys(database.url, Array<string>(count).fill(accountId)),
    keysOfAccounts: (count) => makeKeysOfAccounts(database.url, count),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

/** An account of the largest plan; its id. */
export const makeAccount = async (settings: Readonly<Record<string, string>>): Promise<string> => {
  await using application = await openApplication(loadConfig(settings), { logger: createLogger({ level: 'warn' }) });
  const { accountId } = await application.commands.createAccount({
    email: 'bench@example.com',
    password: randomUUID(),
    name: 'Bench',
    plan: 'enterprise',
  });
  return accountId;
};

/** A key for each of these accounts, straight into the table of credentials: an account may have 25, a bench needs more. */
export const makeKeys = async (url: string, accountIds: readonly string[]): Promise<readonly string[]> => {
  const secrets = accountIds.map(() => newSecret());
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO key_credentials (key_id, account_id, secret_hash, scopes, created_at)
     SELECT u.key_id, u.account_id, u.hash, '{}', now()
     FROM unnest($1::text[], $2::text[], $3::text[]) AS u (account_id, key_id, hash)`,
    [accountIds, secrets.map(() => newId('key')), secrets.map(hashOfSecret)],
  );
  await client.end();
  return secrets;
};

/** A key of each of so many new accounts. */
export const makeKeysOfAccounts = async (url: string, count: number): Promise<readonly string[]> => {
  const accountIds = Array.from({ length: count }, () => newId('acc'));
  await using ledger = ledgerAt(url);
  for (const each of accountIds) await ledger.openBook(each);
  return makeKeys(url, accountIds);
};

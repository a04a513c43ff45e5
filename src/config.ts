import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { ConfigError } from './config/config-error.ts';
import { duration, isGuessable, type Variable } from './config/kinds.ts';
import { contentOf, fileVariableOf, secretInFile } from './config/secret-files.ts';
import { unknownNames } from './config/unknown-names.ts';
import { type Values, variables } from './config/variables.ts';
import { newUuid } from './kernel/ids.ts';
import { isLoopback } from './kernel/ip-networks.ts';
import { makeFolder } from './kernel/make-folder.ts';
import { ownValue } from './kernel/own-value.ts';

export { ConfigError } from './config/config-error.ts';
export { variables } from './config/variables.ts';

/** What an operator decides, without the secret. All durations are milliseconds; null: not configured. */
export type Settings = ReturnType<typeof toSettings>;

/** The settings of a process that has a database. */
export type Config = Settings & {
  readonly secretKey: string;
  /** The key that `secretKey` replaces; null: it replaces none. */
  readonly previousSecretKey: string | null;
};

/** Each line of a worker listens on a connection of its own; the rest take and complete work. */
const fewestQueueConnections = 8;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the environment, once, at startup. Throws `ConfigError` on the first invalid value.
 * With the embedded database and no SECRET_KEY it makes one in DATA_DIR, or reads the one made before.
 */
export const loadConfig = (
  environment: Environment = readEnvironment(),
  workingFolder = '.',
  /** The names that come from the file `.env`: one that no setting has is warned of. */
  fileNames: readonly string[] = [],
): Config => {
  const { values, warnings } = readValues(environment, workingFolder, fileNames);
  refuseWhatDoesNotGoTogether(values);
  const settings = toSettings(values, warnings, resolve(workingFolder));
  if (values.DATABASE_URL === null) makeDataFolder(settings.dataDir);
  const secretKey = values.SECRET_KEY ?? keptSecret(settings.dataDir);
  const { SECRET_KEY_PREVIOUS: previous } = values;
  return deepFreeze({ ...settings, secretKey, previousSecretKey: previous === secretKey ? null : previous });
};

/** Reads the settings for work that needs neither a database nor a secret. It creates nothing. */
export const loadSettings = (
  environment: Environment = readEnvironment(),
  workingFolder = '.',
  fileNames: readonly string[] = [],
): Settings => {
  const { values, warnings } = readValues(environment, workingFolder, fileNames);
  return deepFreeze(toSettings(values, warnings, resolve(workingFolder)));
};

/** Whether there is a database to read: a configured one is taken for granted. */
export const hasDatabase = ({ database, dataDir }: Pick<Settings, 'database' | 'dataDir'>) =>
  database.url !== null || clusterNames.some((name) => existsSync(join(dataDir, name)));

/** Below a data folder: the embedded database, or the file that says where it is. */
const clusterNames = ['postgres/data', 'postgres-is-in'];

const readValues = (
  environment: Environment,
  workingFolder: string,
  fileNames: readonly string[],
): { readonly values: Values; readonly warnings: readonly string[] } => {
  const given = Object.fromEntries(
    Object.entries(tableOfVariables)
      .map(([name, { isSecret }]) => {
        const inFile = isSecret === true ? secretInFile(environment, name, workingFolder) : undefined;
        return [name, inFile ?? settingOf(environment, name)] as const;
      })
      .filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0]);
    const variable = ownValue(tableOfVariables, name);
    throw new ConfigError(`${name} is ${shown(given[name] ?? '', variable)}; it must be ${variable?.may}`);
  }
  const values: Values = parsed.data;
  const warnings = [
    ...unknownNames(Object.keys(environment), fileNames, knownNames()),
    ...renamedIn(environment),
    ...warningsOf(values, given),
  ];
  return { values, warnings };
};

/** Settings that were renamed, with the name that is read until the next release. */
const formerNames: Readonly<Record<string, string>> = {
  LISTING_TIMEOUT: 'LISTING_PATIENCE',
  RESERVATION_TIMEOUT: 'RESERVATION_PATIENCE',
};

const trimmed = (environment: Environment, name: string): string | undefined => environment[name]?.trim() || undefined;

const settingOf = (environment: Environment, name: string): string | undefined => {
  const former = ownValue(formerNames, name);
  const value = trimmed(environment, name);
  return value ?? (former === undefined ? undefined : trimmed(environment, former));
};

const renamedIn = (environment: Environment): readonly string[] =>
  Object.entries(formerNames).flatMap(([name, former]) =>
    trimmed(environment, former) === undefined
      ? []
      : [`${former} is now called ${name}: the next release will not read the old name`],
  );

/** Every name that is read. */
const knownNames = (): readonly string[] => [
  ...Object.keys(variables),
  ...Object.values(formerNames),
  ...Object.entries(tableOfVariables).flatMap(([name, { isSecret }]) =>
    isSecret === true ? [fileVariableOf(name)] : [],
  ),
];

/** The names that the file `.env` of the working folder sets. */
export const namesInFile = (folder = '.'): readonly string[] => Object.keys(settingsIn(join(folder, '.env')));

/** The environment of the process alone: the `.env` of a folder must not decide where the key of a caller is sent. */
export const processEnvironment = (): Environment => process.env;

/** The environment of the process; what it leaves open, the file `.env` of the working folder may set. */
export const readEnvironment = (folder = '.'): Environment => ({ ...settingsIn(join(folder, '.env')), ...process.env });

/** A folder of that name holds something else. Editors may begin a file with a byte order mark. */
const settingsIn = (path: string): Environment =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true
    ? parseEnv(readFileSync(path, 'utf8').replace(/^\ufeff/, ''))
    : {};

const tableOfVariables: Readonly<Record<string, Variable<unknown>>> = variables;

const schemaShape = Object.fromEntries(
  Object.entries(variables).map(([name, variable]) => [name, variable.schema]),
) as { [Name in keyof typeof variables]: (typeof variables)[Name]['schema'] };

const schema = z.object(schemaShape);

const shown = (value: string, variable: Variable<unknown> | undefined): string => {
  if (variable?.isSecret !== true) return JSON.stringify(value.slice(0, 100));
  return `a secret of ${value.length} characters`;
};

/** Whether nobody but this machine comes here: neither by what is listened on, nor by the address it is known under. */
const isOfThisMachine = ({ HOST, PUBLIC_URL }: Values): boolean =>
  isLoopback(HOST) && (PUBLIC_URL === null || isLoopback(new URL(PUBLIC_URL).hostname));

const refuseWhatDoesNotGoTogether = (values: Values): void => {
  const { SECRET_KEY } = values;
  if (SECRET_KEY !== null && isGuessable(SECRET_KEY) && !isOfThisMachine(values)) {
    const { SECRET_KEY: variable } = tableOfVariables;
    throw new ConfigError(`SECRET_KEY is ${shown(SECRET_KEY, variable)}; it must be ${variable?.may}`);
  }
  const isEmbedded = values.DATABASE_URL === null;
  if (!isEmbedded && values.SECRET_KEY === null) {
    throw new ConfigError(
      `SECRET_KEY is not set, but DATABASE_URL requires it; it must be ${variables.SECRET_KEY.may}`,
    );
  }
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'] as const) {
    if (isEmbedded && values[name] !== null) {
      throw new ConfigError(`${name} is set, but DATABASE_URL is not; set both or neither`);
    }
  }
  const { HTTP_HEADERS_TIMEOUT: headersMs, HTTP_REQUEST_TIMEOUT: requestMs } = values;
  if (headersMs > requestMs) {
    throw new ConfigError(
      `HTTP_HEADERS_TIMEOUT (${headersMs} ms) must not exceed HTTP_REQUEST_TIMEOUT (${requestMs} ms)`,
    );
  }
  if (values.SMTP_URL !== null && values.MAIL_FROM === null) {
    throw new ConfigError(`MAIL_FROM is not set, but SMTP_URL requires it; it must be ${variables.MAIL_FROM.may}`);
  }
  if (values.REQUIRE_MAILBOX_PROOF && values.SMTP_URL === null) {
    throw new ConfigError('REQUIRE_MAILBOX_PROOF is true, but SMTP_URL is not set: nobody could get the link');
  }
  for (const name of ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET'] as const) {
    if (values.CAPTCHA_PROVIDER !== 'internal' && values[name] === null) {
      throw new ConfigError(
        `${name} is not set, but CAPTCHA_PROVIDER=${values.CAPTCHA_PROVIDER} requires it; it must be ${variables[name].may}`,
      );
    }
  }
};

/** One sentence for every threshold that is looser than its default and for what is hardly meant, for the log of the start. */
function* warningsOf(values: Values, given: Readonly<Record<string, string | undefined>>): Generator<string> {
  for (const [name, { looser, fallback }] of Object.entries(tableOfVariables)) {
    const value = given[name];
    if (looser === undefined || value === undefined || fallback === null) continue;
    const [is, strict] = [amountOf(value), amountOf(fallback)];
    const isLooser = looser === 'set' ? value !== fallback : looser === 'more' ? is > strict : is < strict;
    if (isLooser) yield `${name} is less strict than its default: ${value} instead of ${fallback || 'none'}`;
  }
  for (const network of values.TRUSTED_PROXIES.filter((each) => each.endsWith('/0'))) {
    yield `TRUSTED_PROXIES includes ${network}: any caller can choose the address it is counted under`;
  }
  const { PUBLIC_URL, HOST, SECRET_KEY } = values;
  if (SECRET_KEY !== null && isGuessable(SECRET_KEY)) {
    yield 'SECRET_KEY is guessable: it is refused if other machines can reach the service';
  }
  const host = PUBLIC_URL === null ? HOST : new URL(PUBLIC_URL).hostname;
  if (!PUBLIC_URL?.startsWith('https:') && !isLoopback(host)) {
    yield 'PUBLIC_URL is not https: cookies and keys can be read in transit';
  }
  if (values.ROLE === 'worker' && PUBLIC_URL === null) {
    yield 'PUBLIC_URL is not set: links in webhooks and mails point to HOST and PORT of this worker, which serves no requests';
  }
}

const amountOf = (value: string): number => duration(value) ?? Number(value);

const toSettings = (values: Values, warnings: readonly string[], workingFolder: string) => ({
  host: values.HOST,
  /** 0: a free one. */
  port: values.PORT,
  role: values.ROLE,
  dataDir: resolve(workingFolder, values.DATA_DIR),
  /** Without a slash at its end; null: the address that the server listens on. */
  publicUrl: values.PUBLIC_URL,
  examples: values.EXAMPLE_VIDEOS,
  trustedProxies: values.TRUSTED_PROXIES,
  mcpAllowedHosts: values.MCP_ALLOWED_HOSTS,
  shutdownDrainMs: values.SHUTDOWN_DRAIN,
  http: httpOf(values),
  database: databaseOf(values),
  worker: {
    poolSize: Math.max(fewestQueueConnections, values.WORKER_POOL_SIZE),
    concurrency: values.WORKER_CONCURRENCY,
  },
  listingTimeoutMs: values.LISTING_TIMEOUT,
  reservationTimeoutMs: values.RESERVATION_TIMEOUT,
  redisUrl: values.REDIS_URL,
  eventStoreUrl: values.EVENTSTORE_URL,
  tlog: tlogOf(values),
  /** The key of receipts in PEM; null: derived from the secret. */
  receipts: { key: values.RECEIPT_KEY },
  mail: mailOf(values),
  platform: {
    origin: values.PLATFORM_ORIGIN,
    proxies: values.PLATFORM_PROXIES,
    concurrency: values.PLATFORM_CONCURRENCY,
    perSecond: values.PLATFORM_PER_SECOND,
    deadlineMs: values.EXTRACTION_DEADLINE,
    transcriptMaxAgeMs: values.TRANSCRIPT_MAX_AGE,
  },
  follows: followsOf(values),
  ai: aiOf(values),
  captcha: {
    provider: values.CAPTCHA_PROVIDER,
    siteKey: values.CAPTCHA_SITE_KEY,
    secret: values.CAPTCHA_SECRET,
    verifyUrl: values.CAPTCHA_VERIFY_URL,
    minSolveMs: values.CAPTCHA_MIN_SOLVE_MS,
    timeToLiveMs: values.CAPTCHA_TTL,
  },
  accounts: accountsOf(values),
  /** Password hashing with argon2id. */
  hashing: {
    memoryKiB: values.PASSWORD_HASH_MEMORY_KIB,
    passes: values.PASSWORD_HASH_PASSES,
    maxAtOnce: values.PASSWORD_HASHES_AT_ONCE,
    maxWaiting: values.PASSWORD_HASHES_WAITING,
  },
  limits: {
    anonymousRequestsPerMinute: values.ANONYMOUS_REQUESTS_PER_MINUTE,
    unauthenticatedRequestsPerMinute: values.UNAUTHENTICATED_REQUESTS_PER_MINUTE,
    listingsPerMinute: values.LISTINGS_PER_MINUTE,
    keysPerAccount: values.KEYS_PER_ACCOUNT,
    webhooksPerAccount: values.WEBHOOKS_PER_ACCOUNT,
    abandonedWork: {
      creditsPerMinute: values.ABANDONED_CREDITS_PER_MINUTE,
      creditsPerDay: values.ABANDONED_CREDITS_PER_DAY,
    },
  },
  webhooks: webhooksOf(values),
  oauth: oauthOf(values),
  isBillingConfigured: values.BILLING_CONFIGURED,
  /** How the operator describes the plans, as JSON; null: as they are. */
  plansFile: values.PLANS_FILE === null ? null : contentOf('PLANS_FILE', values.PLANS_FILE, workingFolder),
  logLevel: values.LOG_LEVEL,
  metrics: { token: values.METRICS_TOKEN, port: values.METRICS_PORT },
  tracing: tracingOf(values),
  /** What the log of the start says about thresholds that are not strict. */
  warnings,
});

const webhooksOf = (values: Values) => ({
  /** Networks that are not public and may be reached all the same. */
  allow: values.OUTBOUND_ALLOW,
  isHttpAllowed: values.WEBHOOK_ALLOW_HTTP,
  /** First and last port of each range. */
  ports: values.WEBHOOK_PORTS,
  /** The delay before each attempt. */
  scheduleMs: values.WEBHOOK_SCHEDULE,
  connectTimeoutMs: values.WEBHOOK_CONNECT_TIMEOUT,
  timeoutMs: values.WEBHOOK_TIMEOUT,
  disableAfterMs: values.WEBHOOK_DISABLE_AFTER,
});

const oauthOf = (values: Values) => ({
  accessTokenTtlMs: values.OAUTH_ACCESS_TOKEN_TTL,
  registrationsPerIpHour: values.OAUTH_REGISTRATIONS_PER_IP_HOUR,
});

/**
 * One API process and three workers fit into the 100 connections that Postgres gives unless told otherwise. A worker
 * waits for the platform, not for connections.
 */
const poolSizesOf = ({ DATABASE_POOL_SIZE: given }: Values) => ({ api: given ?? 20, worker: given ?? 4 });

/** Followed channels and playlists. */
const followsOf = (values: Values) => ({
  intervalMs: values.FOLLOW_INTERVAL,
  minIntervalMs: values.FOLLOW_MIN_INTERVAL,
  captionRetriesMs: values.FOLLOW_CAPTION_RETRIES,
  pauseAfterMs: values.FOLLOW_PAUSE_AFTER,
  recheckMs: values.FOLLOW_RECHECK,
});

/** Mails to owners of accounts. */
const mailOf = (values: Values) => ({
  /** Null: nothing is mailed. */
  smtpUrl: values.SMTP_URL,
  from: values.MAIL_FROM ?? '',
  /** Null: the operator of the service. */
  supportContact: values.SUPPORT_CONTACT,
  requiresMailboxProof: values.REQUIRE_MAILBOX_PROOF,
});

/** Where the database is, and how it is used. */
const databaseOf = (values: Values) => ({
  /** Null: the embedded one. */
  url: values.DATABASE_URL,
  directUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL,
  readUrl: values.DATABASE_READ_URL ?? values.DATABASE_URL,
  /** Of this process. */
  poolSize: poolSizesOf(values)[values.ROLE === 'worker' ? 'worker' : 'api'],
  /** Of any process with this configuration; one with both roles has that of an API process. */
  poolSizes: poolSizesOf(values),
  idleTransactionAlarmMs: values.IDLE_TRANSACTION_ALARM,
});

/** The transparency log of the ledgers. */
const tlogOf = (values: Values) => ({
  /** Null: made of the address of the service. */
  origin: values.TLOG_ORIGIN,
  intervalMs: values.TLOG_INTERVAL,
  /** PEM; null: derived from the secret. */
  key: values.TLOG_KEY,
});

/** Bounds under the names that the server of the HTTP edge has for them. */
const httpOf = (values: Values) => ({
  maxConnections: values.HTTP_MAX_CONNECTIONS,
  maxInFlight: values.HTTP_MAX_IN_FLIGHT,
  headersTimeoutMs: values.HTTP_HEADERS_TIMEOUT,
  requestTimeoutMs: values.HTTP_REQUEST_TIMEOUT,
});

/** The AI provider; a server of one's own may want no key. */
const aiOf = (values: Values) => ({
  isEnabled: values.OPENAI_API_KEY !== null || values.OPENAI_BASE_URL !== null,
  apiKey: values.OPENAI_API_KEY,
  baseUrl: values.OPENAI_BASE_URL,
  model: values.AI_MODEL,
  embeddingModel: values.AI_EMBEDDING_MODEL,
  transcriptionModel: values.AI_TRANSCRIPTION_MODEL,
  structured: values.AI_STRUCTURED,
  contextTokens: values.AI_CONTEXT_TOKENS,
  deadlineMs: values.AI_DEADLINE,
  concurrency: values.AI_CONCURRENCY,
  concurrencyPerAccount: values.AI_CONCURRENCY_PER_ACCOUNT,
});

/** Null: there are no traces. */
const tracingOf = (values: Values) =>
  values.OTEL_EXPORTER_OTLP_ENDPOINT === null
    ? null
    : {
        endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: Object.fromEntries(values.OTEL_EXPORTER_OTLP_HEADERS ?? []),
        serviceName: values.OTEL_SERVICE_NAME,
        sampledShare: values.OTEL_TRACES_SAMPLER_ARG,
      };

/** The limit of wrong captcha answers grows with the configured limit of registrations. */
const wrongAnswersPerRegistration = 6;

/** The 15 minutes of the settings LOGIN_FAILURES_…. */
const signInWindowMs = 15 * 60_000;

const doublingFrom = (values: Values, limit: number) => ({
  limit,
  windowMs: signInWindowMs,
  firstWaitMs: values.LOGIN_WAIT_FIRST,
  longestWaitMs: values.LOGIN_WAIT_MAX,
});

/** The settings of the accounts module (`AccountSettings`). */
const accountsOf = (values: Values) => ({
  visitorCreditsPerDay: values.ANONYMOUS_CREDITS_PER_DAY,
  changesPerDay: values.ACCOUNT_CHANGES_PER_DAY,
  originsKeptMs: values.ORIGINS_KEPT,
  registration: {
    perIpHour: values.REGISTRATIONS_PER_IP_HOUR,
    perIpDay: values.REGISTRATIONS_PER_IP_DAY,
    perDomainHour: values.REGISTRATIONS_PER_DOMAIN_HOUR,
    perFreeMailDomainHour: values.REGISTRATIONS_PER_FREE_MAIL_DOMAIN_HOUR,
    perMailboxDay: values.REGISTRATION_TRIES_PER_MAILBOX_DAY,
    perHour: values.REGISTRATIONS_PER_HOUR,
    captchaFailuresPerIpHour: wrongAnswersPerRegistration * values.REGISTRATIONS_PER_IP_HOUR,
  },
  signIn: {
    perMailboxAndNetwork: doublingFrom(values, values.LOGIN_FAILURES_PER_15_MIN),
    perMailbox: doublingFrom(values, values.LOGIN_FAILURES_ALL_ADDRESSES_15_MIN),
    perNetwork: {
      limit: values.LOGIN_FAILURES_PER_IP_15_MIN,
      windowMs: signInWindowMs,
      firstWaitMs: signInWindowMs,
      longestWaitMs: signInWindowMs,
    },
  },
  resets: { perIpHour: values.PASSWORD_RESETS_PER_IP_HOUR, perMailboxDay: values.PASSWORD_RESETS_PER_MAILBOX_DAY },
  sessions: {
    idleMs: values.SESSION_IDLE,
    absoluteMs: values.SESSION_MAX,
    renewAfterMs: values.SESSION_RENEW_AFTER,
    maxPerAccount: values.SESSIONS_PER_USER,
  },
});

/** The secret of this data folder, made the first time; of two processes at once, both get the same. */
const keptSecret = (dataDir: string): string => {
  const path = join(dataDir, 'secret-key');
  if (!existsSync(path)) {
    // The secret is made before the database (in the folder, or elsewhere by the word in it): one without has lost its own.
    if (clusterNames.some((name) => existsSync(join(dataDir, name)))) throw secretGone(path);
    makeSecret(dataDir, path);
  }
  const secret = readSecret(dataDir, path);
  if (secret.length >= 32) return secret;
  throw new ConfigError(`${path} does not contain a complete secret; restore it, or set SECRET_KEY`);
};

const secretGone = (path: string): ConfigError =>
  new ConfigError(
    `SECRET_KEY is not set, and ${path} is missing although a database exists; restore it, or set the key that was used: with another one nobody can sign in`,
  );

const readSecret = (dataDir: string, path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`DATA_DIR is "${dataDir}", but its secret-key cannot be read: ${reasonOf(error)}`);
  }
};

const makeSecret = (dataDir: string, path: string): void => {
  const beside = `${path}.${newUuid()}`;
  try {
    writeFileSync(beside, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600 });
    linkSync(beside, path);
  } catch (error) {
    if (!existsSync(path)) throw unusable(dataDir, error);
  } finally {
    rmSync(beside, { force: true });
  }
};

const unusable = (dataDir: string, error: unknown): ConfigError =>
  new ConfigError(`DATA_DIR is "${dataDir}", which is not writable: ${reasonOf(error)}`);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The OS user that root hands Postgres to passes through the folder. */
const makeDataFolder = (dataDir: string): void => {
  if (dataDir.split(sep).includes('node_modules')) {
    throw new ConfigError(
      `DATA_DIR is "${dataDir}", inside node_modules, where the next install deletes it; set DATA_DIR to a folder elsewhere, or start in another folder`,
    );
  }
  try {
    makeFolder(dataDir, process.getuid?.() === 0 ? 0o755 : 0o700);
  } catch (error) {
    throw unusable(dataDir, error);
  }
};

const deepFreeze = <Value extends object>(value: Value): Value => {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null) deepFreeze(part);
  }
  return Object.freeze(value);
};

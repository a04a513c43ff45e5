import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from './config/config-error.ts';
import { isGuessable, milliseconds, type Variable } from './config/kinds.ts';
import { contentOf, fileVariableOf, secretInFile } from './config/secret-files.ts';
import { unknownNames } from './config/unknown-names.ts';
import { readGroup, settings, type Values, variables } from './config/variables.ts';
import { newUuid } from './kernel/ids.ts';
import { isLoopback } from './kernel/ip-networks.ts';
import { makeFolder } from './kernel/make-folder.ts';
import { ownValue } from './kernel/own-value.ts';

export { ConfigError } from './config/config-error.ts';
export { variables } from './config/variables.ts';

/** What an operator decides, without the secret. All durations are milliseconds; null: not configured. */
export type Settings = ReturnType<typeof toSettings>;

/** What the environment says, secrets included. */
type SettingValues = Values<typeof settings>;

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
  const { given, warnings } = readGiven(environment, workingFolder, fileNames);
  refuseWhatDoesNotGoTogether(given);
  const config = toSettings(given, warnings, resolve(workingFolder));
  if (given.database.url === null) makeDataFolder(config.dataDir);
  const secretKey = given.secretKey ?? keptSecret(config.dataDir);
  const { previousSecretKey: previous } = given;
  return deepFreeze({ ...config, secretKey, previousSecretKey: previous === secretKey ? null : previous });
};

/** Reads the settings for work that needs neither a database nor a secret. It creates nothing. */
export const loadSettings = (
  environment: Environment = readEnvironment(),
  workingFolder = '.',
  fileNames: readonly string[] = [],
): Settings => {
  const { given, warnings } = readGiven(environment, workingFolder, fileNames);
  return deepFreeze(toSettings(given, warnings, resolve(workingFolder)));
};

/** Whether there is a database to read: a configured one is taken for granted. */
export const hasDatabase = ({ database, dataDir }: Pick<Settings, 'database' | 'dataDir'>) =>
  database.url !== null || clusterNames.some((name) => existsSync(join(dataDir, name)));

/** Below a data folder: the embedded database, or the file that says where it is. */
const clusterNames = ['postgres/data', 'postgres-is-in'];

const readGiven = (
  environment: Environment,
  workingFolder: string,
  fileNames: readonly string[],
): { readonly given: SettingValues; readonly warnings: readonly string[] } => {
  const texts = new Map<string, string>();
  const given = readGroup(settings, (variable) => {
    const { name, fallback, may } = variable;
    const inFile = variable.isSecret === true ? secretInFile(environment, name, workingFolder) : undefined;
    const set = inFile ?? settingOf(environment, name);
    if (set !== undefined) texts.set(name, set);
    const text = set ?? fallback;
    if (text === null) return null;
    const value = variable.parse(text);
    if (value !== null) return value;
    throw new ConfigError(`${name} is ${shown(text, variable)}; it must be ${may}`);
  });
  const warnings = [
    ...unknownNames(Object.keys(environment), fileNames, knownNames()),
    ...renamedIn(environment),
    ...warningsOf(given, texts),
  ];
  return { given, warnings };
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
  ...Object.values(variables).flatMap(({ name, isSecret }) => (isSecret === true ? [fileVariableOf(name)] : [])),
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

const shown = (value: string, { isSecret }: Variable<unknown>): string =>
  isSecret === true ? `a secret of ${value.length} characters` : JSON.stringify(value.slice(0, 100));

/** Whether nobody but this machine comes here: neither by what is listened on, nor by the address it is known under. */
const isOfThisMachine = ({ host, publicUrl }: SettingValues): boolean =>
  isLoopback(host) && (publicUrl === null || isLoopback(new URL(publicUrl).hostname));

const refuseWhatDoesNotGoTogether = (given: SettingValues): void => {
  const { secretKey, database, http, mail, captcha } = given;
  const unset = ({ name, may }: Variable<unknown>, because: string): ConfigError =>
    new ConfigError(`${name} is not set, but ${because} requires it; it must be ${may}`);
  if (secretKey !== null && isGuessable(secretKey) && !isOfThisMachine(given)) {
    const { name, may } = settings.secretKey;
    throw new ConfigError(`${name} is ${shown(secretKey, settings.secretKey)}; it must be ${may}`);
  }
  if (database.url !== null && secretKey === null) throw unset(settings.secretKey, 'DATABASE_URL');
  for (const member of ['directUrl', 'readUrl'] as const) {
    if (database.url === null && database[member] !== null) {
      const { name } = settings.database[member];
      throw new ConfigError(`${name} is set, but DATABASE_URL is not; set both or neither`);
    }
  }
  const { headersTimeoutMs: headersMs, requestTimeoutMs: requestMs } = http;
  if (headersMs > requestMs) {
    throw new ConfigError(
      `HTTP_HEADERS_TIMEOUT (${headersMs} ms) must not exceed HTTP_REQUEST_TIMEOUT (${requestMs} ms)`,
    );
  }
  if (mail.smtpUrl !== null && mail.from === null) throw unset(settings.mail.from, 'SMTP_URL');
  if (mail.requiresMailboxProof && mail.smtpUrl === null) {
    throw new ConfigError('REQUIRE_MAILBOX_PROOF is true, but SMTP_URL is not set: nobody could get the link');
  }
  for (const member of ['siteKey', 'secret'] as const) {
    if (captcha.provider !== 'internal' && captcha[member] === null) {
      throw unset(settings.captcha[member], `CAPTCHA_PROVIDER=${captcha.provider}`);
    }
  }
};

/** One sentence for every threshold that is looser than its default and for what is hardly meant, for the log of the start. */
function* warningsOf(given: SettingValues, texts: ReadonlyMap<string, string>): Generator<string> {
  for (const { name, looser, fallback } of Object.values(variables)) {
    const text = texts.get(name);
    if (looser === undefined || text === undefined || fallback === null) continue;
    const [is, strict] = [amountOf(text), amountOf(fallback)];
    const isLooser = looser === 'set' ? text !== fallback : looser === 'more' ? is > strict : is < strict;
    if (isLooser) yield `${name} is less strict than its default: ${text} instead of ${fallback || 'none'}`;
  }
  const { trustedProxies, publicUrl, secretKey } = given;
  for (const network of trustedProxies.filter((each) => each.endsWith('/0'))) {
    yield `TRUSTED_PROXIES includes ${network}: any caller can choose the address it is counted under`;
  }
  if (secretKey !== null && isGuessable(secretKey)) {
    yield 'SECRET_KEY is guessable: it is refused if other machines can reach the service';
  }
  const host = publicUrl === null ? given.host : new URL(publicUrl).hostname;
  if (!publicUrl?.startsWith('https:') && !isLoopback(host)) {
    yield 'PUBLIC_URL is not https: cookies and keys can be read in transit';
  }
  if (given.role === 'worker' && publicUrl === null) {
    yield 'PUBLIC_URL is not set: links in webhooks and mails point to HOST and PORT of this worker, which serves no requests';
  }
}

const amountOf = (value: string): number => milliseconds(value) ?? Number(value);

const toSettings = (
  { secretKey, previousSecretKey, ...given }: SettingValues,
  warnings: readonly string[],
  workingFolder: string,
) => ({
  ...given,
  dataDir: resolve(workingFolder, given.dataDir),
  database: {
    ...given.database,
    directUrl: given.database.directUrl ?? given.database.url,
    readUrl: given.database.readUrl ?? given.database.url,
    /** Of this process. */
    poolSize: poolSizesOf(given)[given.role === 'worker' ? 'worker' : 'api'],
    /** Of any process with this configuration; one with both roles has that of an API process. */
    poolSizes: poolSizesOf(given),
  },
  worker: { ...given.worker, poolSize: Math.max(fewestQueueConnections, given.worker.poolSize) },
  mail: { ...given.mail, from: given.mail.from ?? '' },
  /** A server of one's own may want no key. */
  ai: { ...given.ai, isEnabled: given.ai.apiKey !== null || given.ai.baseUrl !== null },
  accounts: { ...given.accounts, registration: registrationOf(given), signIn: signInOf(given) },
  /** How the operator describes the plans, as JSON; null: as they are. */
  plansFile: given.plansFile === null ? null : contentOf('PLANS_FILE', given.plansFile, workingFolder),
  tracing: tracingOf(given),
  /** What the log of the start says about thresholds that are not strict. */
  warnings,
});

/**
 * One API process and three workers fit into the 100 connections that Postgres gives unless told otherwise. A worker
 * waits for the platform, not for connections.
 */
const poolSizesOf = ({ database: { poolSize } }: Pick<SettingValues, 'database'>) => ({
  api: poolSize ?? 20,
  worker: poolSize ?? 4,
});

/** Null: there are no traces. */
const tracingOf = ({ tracing: { endpoint, headers, ...others } }: Pick<SettingValues, 'tracing'>) =>
  endpoint === null ? null : { endpoint, headers: Object.fromEntries(headers ?? []), ...others };

/** The limit of wrong captcha answers grows with the configured limit of registrations. */
const wrongAnswersPerRegistration = 6;

const registrationOf = ({ accounts: { registration } }: Pick<SettingValues, 'accounts'>) => ({
  ...registration,
  captchaFailuresPerIpHour: wrongAnswersPerRegistration * registration.perIpHour,
});

/** The 15 minutes of the settings LOGIN_FAILURES_…. */
const signInWindowMs = 15 * 60_000;

const signInOf = ({ accounts: { signIn } }: Pick<SettingValues, 'accounts'>) => {
  const { perMailboxAndNetwork, perMailbox, perNetwork, ...waits } = signIn;
  const window = { windowMs: signInWindowMs };
  return {
    perMailboxAndNetwork: { limit: perMailboxAndNetwork, ...window, ...waits },
    perMailbox: { limit: perMailbox, ...window, ...waits },
    perNetwork: { limit: perNetwork, ...window, firstWaitMs: signInWindowMs, longestWaitMs: signInWindowMs },
  };
};

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

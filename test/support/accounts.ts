import { type AccountDeps, accountCommands } from '#src/accounts/account-commands.ts';
import type { AccountSettings } from '#src/accounts/account-parts.ts';
import type { OwnedResources } from '#src/accounts/erase-account.ts';
import { puzzleCaptcha } from '#src/accounts/registration/captcha.ts';
import { inWords } from '#src/accounts/registration/number-words.ts';
import type { Registration } from '#src/accounts/registration/register-with-captcha.ts';
import { type HashingSettings, openCredentials } from '#src/adapters/passwords/argon2.ts';
import { commonPasswords, disposableDomains } from '#src/adapters/passwords/word-lists.ts';
import { accountStore } from '#src/adapters/postgres/account-store-postgres.ts';
import { loadConfig } from '#src/config.ts';
import { newUuid, uuidOf } from '#src/kernel/ids.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { testSecret } from '#test/support/app.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';
import { onlyKey } from '#test/support/keys.ts';
import { plantedPassword } from '#test/support/leaks.ts';

const shipped = loadConfig({ DATABASE_URL: 'postgres://u:p@127.0.0.1/nowhere', SECRET_KEY: testSecret });

/** The default settings. */
export const shippedSettings: AccountSettings = shipped.accounts;

/** Argon2id parameters that make hashing cheap in tests. */
export const cheapHashing: HashingSettings = { ...{ memoryKiB: 64, passes: 1 }, ...{ maxAtOnce: 4, maxWaiting: 400 } };

/** The default parameters. */
export const shippedHashing: HashingSettings = shipped.hashing;

/** A clock that only the test advances. */
export const manualClock = (start = '2026-11-21T10:00:00.000Z') => {
  let now = Date.parse(start);
  return {
    clock: () => new Date(now),
    pass: (ms: number) => {
      now += ms;
    },
  };
};

const keys = onlyKey(9);
const lists = { disposableDomains: disposableDomains(), commonPasswords: commonPasswords() };

type Overrides = Partial<AccountDeps> & { readonly settings?: AccountSettings };

/** The end of an account that has no keys, webhooks or jobs. */
export const nothingEnds: Awaited<ReturnType<OwnedResources['end']>> = { appends: [], within: async () => 'appended' };

/** An account that has no keys, webhooks or jobs. */
export const noOwnedResources: OwnedResources = {
  block: async () => {},
  unblock: async () => {},
  end: async () => nothingEnds,
};

/** The account commands on a new test database. */
export const accountsOnPostgres = async (changed: Overrides = {}) => {
  const database = await logOnPostgres({ max: 20 });
  const time = manualClock();
  const store = accountStore(database.pool, { peppers: keys, seals: keys });
  const captcha = puzzleCaptcha({
    puzzle: { keys, minSolveMs: 1_500, timeToLiveMs: 600_000 },
    store,
    clock: time.clock,
  });
  const commands = accountCommands({
    log: database.log,
    store,
    passwords: await openCredentials({ pepper: keys.current.bytes, hashing: cheapHashing }),
    captcha,
    clock: time.clock,
    mailboxKeys: keys,
    deviceKeys: keys,
    settings: shippedSettings,
    ...lists,
    serviceNames: ['steno'],
    openBook: () => [],
    owned: noOwnedResources,
    visitorKeys: keys,
    visitorKeyOf: () => keys.current.bytes,
    baseUrl: async () => 'https://steno.example',
    isMailing: true,
    requiresMailboxProof: false,
    pause: async () => {},
    openVisitorBook: ({ accountId, day, credits, now }) => ({
      stream: `ledger-${accountId}-${day}`,
      expected: 0n,
      events: [
        {
          id: uuidOf(`book|${accountId}`),
          type: 'BookOpened',
          schemaVersion: 1,
          data: { accountId, credits },
          meta: { occurred_at: now.toISOString() },
        },
      ],
    }),
    ...changed,
  });

  /** Solves a captcha, after its minimum solving time. */
  const solved = () => {
    const challenge = commands.captchaChallenge('en');
    if (challenge.kind !== 'puzzle') throw new Error('this needs the internal captcha');
    time.pass(2_000);
    return { token: challenge.token, answer: solve(challenge.question), response: undefined };
  };
  return {
    ...database,
    ...time,
    store,
    commands,
    solved,
    register: (email: string, more: Partial<Registration> = {}) =>
      commands.register(registration(email, { ...more, proof: more.proof ?? solved() })),
    logIn: (
      email: string,
      password = goodPassword,
      more: { formerToken?: string; deviceToken?: string; network?: string } = {},
    ) =>
      commands.logIn({
        email,
        password,
        formerToken: more.formerToken ?? null,
        deviceToken: more.deviceToken ?? null,
        network: more.network ?? '192.0.2.1',
        origin: { ip: '192.0.2.1', userAgent: 'test' },
        cause: request(),
      }),
  };
};

export const goodPassword = plantedPassword('good');

/** The client address and user agent of test requests. */
export const origin = { ip: '192.0.2.1', userAgent: 'test' };

/** A new request id at each call. */
export const request = () => ({ channel: 'web', requestId: `req_${newUuid()}`, traceparent: null }) as const;

export const registration = (
  email: string,
  more: Partial<Registration> & Pick<Registration, 'proof'>,
): Registration => ({
  email,
  password: goodPassword,
  name: null,
  isTrapped: false,
  network: '192.0.2.1',
  origin: { ip: '192.0.2.1', userAgent: 'test' },
  cause: request(),
  ...more,
});

/** Solves the arithmetic question of a captcha from its text. */
export const solve = (question: string): string => {
  const values = new Map(Array.from({ length: 100 }, (_, value) => [inWords(value, 'en'), value]));
  const words = question.toLowerCase().match(/[a-z]+(-[a-z]+)?/g) ?? [];
  const [a = 0, b = 0] = words.flatMap((word) => values.get(word) ?? []);
  if (/minus|difference|subtract|away|less|left/i.test(question)) return String(Math.abs(a - b));
  if (/times|multipl|product|each|days/i.test(question)) return String(a * b);
  return String(a + b);
};

/** Matches the refusal with this code. */
export const refused = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;

/** Resolves with 'done', or with the code of the refusal. */
export const outcomeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Refusal) return error.code;
      throw error;
    },
  );

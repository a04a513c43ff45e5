import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type AccountCommands, accountCommands } from '../accounts/account-commands.ts';
import type { AppendResult, Cause } from '../accounts/append-events.ts';
import type { OwnedResources } from '../accounts/erase-account.ts';
import type { PasswordKeys } from '../accounts/password/stored-password.ts';
import { type Captcha, puzzleCaptcha } from '../accounts/registration/captcha.ts';
import { captchaProvider } from '../adapters/captcha/captcha-provider.ts';
import { openCredentials } from '../adapters/passwords/argon2.ts';
import { commonPasswords, disposableDomains } from '../adapters/passwords/word-lists.ts';
import { accountStore } from '../adapters/postgres/account-store-postgres.ts';
import { eraseAuthorizationsIn } from '../adapters/postgres/authorizations-postgres.ts';
import { eraseContentIn } from '../adapters/postgres/erase-content-postgres.ts';
import { blockAppends, erasePersonalTextsIn, unblockAppends } from '../adapters/postgres/personal-text-store.ts';
import type { Authorizations } from '../authorizations/manage-authorizations.ts';
import type { Config } from '../config.ts';
import { dayBook, firstBook, provisionalBook } from '../credits/plans/renew-period.ts';
import type { Transaction } from '../eventlog/event-log.ts';
import type { Keys } from '../keys/manage-keys.ts';
import { endWebhooks } from '../webhooks/end-webhooks.ts';
import type { CoreParts } from './application-core.ts';
import { openingAppend } from './open-ledger.ts';
import type { SecretKeys } from './secret-keys.ts';

/** The keys of stored passwords. */
export const passwordKeysOf = ({ ring }: Pick<SecretKeys, 'ring'>): PasswordKeys => ({
  peppers: ring('password pepper'),
  seals: ring('sealed passwords'),
});

/** A day on which the key is replaced keeps the key that it began with, or visitors had a second allowance. */
const visitorKeyOf = ({ ring, begunAt }: SecretKeys) => {
  const { current, all } = ring('visitor');
  const dayOfReplacement = begunAt?.toISOString().slice(0, 10);
  return (day: string): Uint8Array => (day === dayOfReplacement ? (all.at(-1) ?? current) : current).bytes;
};

/** The account commands on this database. */
export const openAccounts = async (
  config: Config,
  parts: Pick<CoreParts, 'pool' | 'secrets' | 'log' | 'clock' | 'baseUrl'> & {
    readonly keys: Keys;
    readonly authorizations: Authorizations;
    /** Cancels all open jobs of an account and settles their charges at once; false if the read model may have missed some. */
    readonly endJobs: (accountId: string) => Promise<boolean>;
  },
): Promise<AccountCommands> => {
  const { pool, log, clock, secrets, baseUrl } = parts;
  const keys = passwordKeysOf(secrets);
  const store = accountStore(pool, keys);
  const pepper = keys.peppers.current.bytes;
  // More concurrent hashes than cores are no faster and delay other requests.
  const maxAtOnce = Math.min(config.hashing.maxAtOnce, availableParallelism());
  const hashing = { ...config.hashing, maxAtOnce };

  return accountCommands({
    ...{ log, store, clock, baseUrl },
    passwords: await openCredentials({ pepper, hashing }),
    captcha: captchaOf(config, parts, store),
    mailboxKeys: secrets.ring('mailbox'),
    deviceKeys: secrets.ring('device'),
    settings: config.accounts,
    disposableDomains: disposableDomains(),
    commonPasswords: commonPasswords(),
    serviceNames: ['steno', 'transcript', 'transcripts'],
    openBook: ({ cause, isProvisional, ...opening }) => {
      const { accountId, now } = opening;
      const book = isProvisional
        ? provisionalBook({ ...opening, credits: config.accounts.visitorCreditsPerDay }, now)
        : firstBook(opening, now);
      return [openingAppend(book, originOf(accountId, cause), now)];
    },
    visitorKeys: secrets.ring('visitor'),
    visitorKeyOf: visitorKeyOf(secrets),
    openVisitorBook: ({ cause, ...opening }) => {
      const { accountId, now } = opening;
      return openingAppend(dayBook(opening, now), originOf(accountId, cause), now);
    },
    owned: ownedResourcesOf(parts),
    isMailing: config.mail.smtpUrl !== null,
    requiresMailboxProof: config.mail.requiresMailboxProof,
    pause,
  });
};

/**
 * Ends the jobs, keys, authorizations and webhooks of an account, with their owner's texts. Jobs end before the account, so
 * that an erased account is not charged.
 */
const ownedResourcesOf = (parts: Parameters<typeof openAccounts>[1]): OwnedResources => ({
  block: (accountId) => blockAppends(parts.pool, accountId),
  unblock: (accountId) => unblockAppends(parts.pool, accountId),
  end: async ({ accountId, now, cause }) => {
    const { actor, channel, requestId } = cause;
    const isEnded = await parts.endJobs(accountId);
    const webhooks = await endWebhooks(parts)(accountId, now, { actor, channel, request_id: requestId });
    const ends = [
      ...(await parts.keys.endAll({ ...cause, accountId })),
      ...(await parts.authorizations.endAll({ ...cause, accountId })),
    ];
    const within = async (transaction: Transaction): Promise<AppendResult> => {
      if (!isEnded) return 'conflict';
      await erasePersonalTextsIn(transaction, accountId);
      await eraseContentIn(transaction, accountId);
      for (const end of ends) await end.within(transaction);
      await eraseAuthorizationsIn(transaction, accountId);
      return 'appended';
    };
    return { appends: [...webhooks, ...ends.flatMap(({ appends }) => appends)], within };
  },
});

const originOf = (accountId: string, cause: Cause) => ({
  ...cause,
  accountId,
  deduplicationKey: '',
  isRepeatable: false,
  capCredits: null,
});

const captchaOf = (
  { captcha, publicUrl, host }: Config,
  { secrets, clock }: Pick<CoreParts, 'secrets' | 'clock'>,
  store: ReturnType<typeof accountStore>,
): Captcha => {
  const { provider, siteKey, secret, verifyUrl, minSolveMs, timeToLiveMs } = captcha;
  if (provider !== 'internal' && siteKey !== null && secret !== null) {
    const hostname = publicUrl === null ? host : new URL(publicUrl).hostname;
    const own = verifyUrl === null ? {} : { verifyUrl };
    return captchaProvider({ provider, siteKey, secret, hostname, ...own });
  }
  return puzzleCaptcha({ puzzle: { keys: secrets.ring('captcha'), minSolveMs, timeToLiveMs }, store, clock });
};

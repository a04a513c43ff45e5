import { hkdfSync } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type AccountCommands, accountCommands } from '../accounts/account-commands.ts';
import type { AppendResult, Cause } from '../accounts/append-events.ts';
import { type Captcha, puzzleCaptcha } from '../accounts/captcha.ts';
import type { OwnedResources } from '../accounts/erase-account.ts';
import { accountStore } from '../adapters/account-store.ts';
import { captchaProvider } from '../adapters/captcha-provider.ts';
import { openCredentials } from '../adapters/credentials.ts';
import { forgetAnswersIn } from '../adapters/idempotency.ts';
import { eraseOperationResultsIn } from '../adapters/operation-results.ts';
import {
  blockAppends,
  erasePersonalTextsIn,
  unblockAppends,
} from '../adapters/personal-text-store.ts';
import { commonPasswords, disposableDomains } from '../adapters/word-lists.ts';
import type { Config } from '../config.ts';
import { dayBook, firstBook, provisionalBook } from '../credits/book-lifecycle.ts';
import { isPlanKey, type PlanKey } from '../credits/plans.ts';
import type { EventLog, Transaction } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import { newToken, randomBelow } from '../kernel/ids.ts';
import type { Keys } from '../keys/manage-keys.ts';
import { endWebhooks } from '../webhooks/end-webhooks.ts';
import { openingAppend } from './open-ledger.ts';

/** Derives a key of 32 bytes for one purpose from SECRET_KEY. */
export const subkey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'steno', purpose, 32));

/** Identifies the SECRET_KEY with which a database was first used, without revealing other derived keys. */
export const secretFingerprint = ({ secretKey }: Pick<Config, 'secretKey'>): string =>
  subkey(secretKey, 'fingerprint').toString('hex');

/** The account commands on this database. */
export const openAccounts = async (
  config: Config,
  parts: {
    readonly pool: Pool;
    readonly log: EventLog;
    readonly keys: Keys;
    readonly clock: Clock;
    /** Cancels all open jobs of an account and settles their charges at once; false if the read model may have missed some. */
    readonly endJobs: (accountId: string) => Promise<boolean>;
    /** The absolute base of links. */
    readonly baseUrl: () => Promise<string>;
  },
): Promise<AccountCommands> => {
  const { pool, log, clock } = parts;
  const store = accountStore(pool);
  const pepper = subkey(config.secretKey, 'password pepper');
  // More concurrent hashes than cores are no faster and delay other requests.
  const maxAtOnce = Math.min(config.hashing.maxAtOnce, availableParallelism());
  const hashing = { ...config.hashing, maxAtOnce };

  return accountCommands<PlanKey>({
    log,
    store,
    clock,
    passwords: await openCredentials({ pepper, hashing }),
    captcha: captchaOf(config, store, clock),
    mailboxKey: subkey(config.secretKey, 'mailbox'),
    settings: config.accounts,
    disposableDomains: disposableDomains(),
    commonPasswords: commonPasswords(),
    serviceNames: ['steno', 'transcript', 'transcripts'],
    firstPlan: 'free',
    isPlan: (plan): plan is PlanKey => isPlanKey(plan),
    openBook: ({ cause, isProvisional, ...opening }) => {
      const { accountId, now } = opening;
      const book = isProvisional
        ? provisionalBook({ ...opening, credits: config.accounts.visitorCreditsPerDay }, now)
        : firstBook(opening, now);
      return { appends: [openingAppend(book, originOf(accountId, cause), now)] };
    },
    visitorKey: subkey(config.secretKey, 'visitor'),
    openVisitorBook: ({ cause, ...opening }) => {
      const { accountId, now } = opening;
      return { appends: [openingAppend(dayBook(opening, now), originOf(accountId, cause), now)] };
    },
    owned: ownedResourcesOf(parts),
    baseUrl: parts.baseUrl,
    isMailing: config.mail.smtpUrl !== null,
    requiresMailboxProof: config.mail.requiresMailboxProof,
    pause,
  });
};

/**
 * Ends the jobs, keys and webhooks of an account, with their owner's texts. Jobs end before the account, so
 * that an erased account is not charged.
 */
const ownedResourcesOf = ({
  pool,
  log,
  keys,
  endJobs,
}: Parameters<typeof openAccounts>[1]): OwnedResources => ({
  block: (accountId) => blockAppends(pool, accountId),
  unblock: (accountId) => unblockAppends(pool, accountId),
  end: async ({ accountId, now, cause }) => {
    const { actor, channel, requestId } = cause;
    const isEnded = await endJobs(accountId);
    const webhooks = await endWebhooks({ log })(accountId, now, {
      actor,
      channel,
      request_id: requestId,
    });
    const ends = await keys.endAll({ ...cause, accountId });
    const within = async (transaction: Transaction): Promise<AppendResult> => {
      if (!isEnded) return 'conflict';
      await erasePersonalTextsIn(transaction, accountId);
      await eraseOperationResultsIn(transaction, accountId);
      for (const end of ends) await end.within(transaction);
      await forgetAnswersIn(transaction, accountId);
      return 'appended';
    };
    return [{ appends: [...webhooks, ...ends.flatMap(({ appends }) => appends)], within }];
  },
});

const originOf = (accountId: string, cause: Cause) => ({
  ...cause,
  accountId,
  operationKey: '',
  isRepeatable: false,
  capCredits: null,
});

const captchaOf = (
  { captcha, secretKey, publicUrl, host }: Config,
  store: ReturnType<typeof accountStore>,
  clock: Clock,
): Captcha => {
  const { provider, siteKey, secret, verifyUrl, minSolveMs, timeToLiveMs } = captcha;
  if (provider !== 'internal' && siteKey !== null && secret !== null) {
    const hostname = publicUrl === null ? host : new URL(publicUrl).hostname;
    const own = verifyUrl === null ? {} : { verifyUrl };
    return captchaProvider({ provider, siteKey, secret, hostname, ...own });
  }
  return puzzleCaptcha({
    puzzle: { key: subkey(secretKey, 'captcha'), minSolveMs, timeToLiveMs },
    store,
    clock,
    newNonce: newToken,
    pick: randomBelow,
  });
};

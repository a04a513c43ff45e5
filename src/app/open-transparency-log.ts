import { createPrivateKey } from 'node:crypto';
import { postgresTransparencyLog } from '../adapters/postgres/transparency-log-postgres.ts';
import { postgresWitnessStore } from '../adapters/postgres/witness-store-postgres.ts';
import type { Config } from '../config.ts';
import { creditsEvents } from '../credits/credits.ts';
import type { PostgresEventLog } from '../eventlog/postgres-event-log.ts';
import type { EventLink } from '../eventlog/read/read-events.ts';
import type { Logger } from '../kernel/logger.ts';
import { every } from '../kernel/repeat.ts';
import { keyOfSeed, type Signer, signerOf } from '../tlog/note.ts';
import { type NewLeaf, type TransparencyLog, transparencyLog } from '../tlog/transparency-log.ts';
import { witnessLogs } from '../tlog/witness-logs.ts';
import type { CoreParts, OpenTransparencyLog } from './application-core.ts';
import type { SecretKeys } from './secret-keys.ts';

/** Opens the log; its origin is known once the server listens, and kept from the first start on. */
export const openTransparencyLog = (
  config: Pick<Config, 'tlog'>,
  { pool, secrets, clock, baseUrl, logger }: Pick<CoreParts, 'pool' | 'secrets' | 'clock' | 'baseUrl' | 'logger'>,
): OpenTransparencyLog => {
  const store = postgresTransparencyLog({ pool });
  const saltKey = secrets.ring('salts of the transparency log').current.bytes;
  const originOf = async (): Promise<string> =>
    (await store.head())?.origin ?? config.tlog.origin ?? `${new URL(await baseUrl()).host}/tlog`;
  const log = async () =>
    transparencyLog({
      store,
      signers: signersOf(config, secrets, await originOf()),
      saltKey,
      intervalMs: config.tlog.intervalMs,
      clock,
    });
  return {
    log,
    witness: async () => {
      const seed = secrets.ring('witness of transparency logs').current.bytes;
      const signer = signerOf(`${await originOf()}/witness`, 'cosignature', keyOfSeed(seed));
      return witnessLogs({ store: postgresWitnessStore({ pool }), signer, clock });
    },
    begin: async () => {
      const origin = await originOf();
      await (await log()).begin(origin);
      if (config.tlog.origin === null || config.tlog.origin === origin) return;
      logger.warn('TLOG_ORIGIN has no effect: the log keeps the origin with which it was begun', { origin });
    },
  };
};

/** The key of a file alone; else that of SECRET_KEY, and beside it that of the key which it replaces. */
const signersOf = ({ tlog }: Pick<Config, 'tlog'>, secrets: SecretKeys, origin: string): readonly Signer[] => {
  const keys =
    tlog.key === null
      ? secrets.ring('transparency log').all.map(({ bytes }) => keyOfSeed(bytes))
      : [createPrivateKey(tlog.key)];
  return keys.map((key) => signerOf(origin, 'note', key));
};

/** Events that one transaction adds. */
const batchSize = 2_000;
/** Types of the entries of ledgers. */
export const ledgerTypes = Object.keys(creditsEvents);
/** What leaves are made of, for `readLinks`. */
export const ledgerLinks = { types: ledgerTypes, member: 'accountId' };

/**
 * Adds what was appended to the ledgers to the log, twice in an interval, so that it is at most an interval behind. It reads
 * the event log as a subscription does, and its position is in the transaction that adds the leaves.
 */
export const logRegularly = (
  { log }: Pick<OpenTransparencyLog, 'log'>,
  events: Pick<PostgresEventLog, 'readLinks'>,
  { intervalMs, logger }: { readonly intervalMs: number; readonly logger: Pick<Logger, 'warn'> },
): AsyncDisposable => {
  const failed = (error: unknown): void => logger.warn('ledger entries were not added to the log', { error });
  const regular = every(intervalMs / 2, failed, async (signal) => {
    const opened = await log();
    while (!signal.aborted && (await logSome(opened, events))) {}
  });
  regular.run();
  return regular;
};

/** Adds a batch; whether there is more. */
export const logSome = async (log: TransparencyLog, events: Pick<PostgresEventLog, 'readLinks'>): Promise<boolean> => {
  const head = await log.head();
  if (head === null) return false;
  const batch = { after: head.position, limit: batchSize, ...ledgerLinks };
  const { events: found, safeUpTo } = await events.readLinks(batch);
  if (safeUpTo <= head.position) return false;
  await log.append(found.flatMap(leafOf), safeUpTo);
  return true;
};

/** The leaf of an event; none of one that is in no ledger. */
export const leafOf = ({ position, hash, member: accountId }: EventLink): NewLeaf[] =>
  hash === null || accountId === null ? [] : [{ position, accountId, hash }];

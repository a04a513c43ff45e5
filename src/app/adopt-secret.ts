import type { Pool } from 'pg';
import { listProcesses } from '../adapters/postgres/process-registry.ts';
import { type AdoptedRows, adoptRows } from '../adapters/postgres/secret-keys/adopt-rows.ts';
import { adoptFingerprint, insertSecretState, secretStateIn } from '../adapters/postgres/secret-keys/secret-state.ts';
import type { Config } from '../config.ts';
import type { Adoption, Loss } from '../edges/cli/operator-interface.ts';
import { inTransaction } from '../eventlog/connection.ts';
import type { Logger } from '../kernel/logger.ts';
import { commandPool } from './command-pool.ts';
import { openDatabase } from './open-database.ts';
import { storedKeysOf } from './replace-secret-key.ts';
import { fingerprintOf, secretKeysOf } from './secret-keys.ts';

/**
 * Makes SECRET_KEY that of the database where its own is lost. It changes nothing where more would be lost than is
 * accepted. It does not open the application, which refuses another key.
 */
export const adoptSecret = async (
  config: Config,
  { logger }: { readonly logger: Logger },
  accepted: readonly Loss[],
): Promise<Adoption> => {
  await using database = await openDatabase(config, { logger });
  await requireNoProcess(database.directUrl, ', with the key that it started with');
  const pool = commandPool(database.url);
  return await adoptOn(pool, config, accepted).finally(() => pool.end());
};

/** The same on a database of which nothing else is running. */
export const adoptOn = (pool: Pool, config: Config, accepted: readonly Loss[] | 'all'): Promise<Adoption> =>
  inTransaction(pool, async (client) => {
    await client.query('SELECT set_config($1, $2, true)', ['statement_timeout', '0']);
    const own = fingerprintOf(config.secretKey);
    await insertSecretState(client, { fingerprint: own, previous: null });
    const state = await secretStateIn(client);
    if (state === null) throw new Error('the database keeps no fingerprint of SECRET_KEY');
    refuseSaved(config, [state.fingerprint, ...(state.previous === null ? [] : [state.previous])]);
    const secrets = secretKeysOf(
      { secretKey: config.secretKey, previousSecretKey: null },
      { ...state, fingerprint: own, previous: null },
    );
    const adopted = await adoptRows(client, storedKeysOf(secrets), state.unmarkedId);
    await adoptFingerprint(client, own);
    const losses = lossesOf(adopted);
    const isAccepted = accepted === 'all' || losses.every(({ loss, count }) => count === 0 || accepted.includes(loss));
    const { accounts, displaced } = adopted;
    return {
      commit: isAccepted,
      result: {
        isDone: isAccepted,
        accounts,
        displaced,
        losses: losses.filter(({ count }) => count > 0),
        isMailing: config.mail.smtpUrl !== null,
      },
    };
  });

/** With the other key at hand, nothing need be lost. */
const refuseSaved = ({ previousSecretKey }: Config, wanted: readonly string[]): void => {
  if (previousSecretKey === null || !wanted.includes(fingerprintOf(previousSecretKey))) return;
  throw new Error(
    'SECRET_KEY_PREVIOUS is the key of this database, so nothing is lost: start the server with both, and a worker makes everything anew (docs/backup.md)',
  );
};

const lossesOf = ({ passwords, webhookSecrets, answers }: AdoptedRows): Adoption['losses'] => [
  { loss: 'passwords', count: passwords },
  { loss: 'webhook-secrets', count: webhookSecrets },
  { loss: 'answers', count: answers },
];

/** Refuses work that no process may interfere with while one is running; `how` says what it runs with. */
export const requireNoProcess = async (url: string, how = ''): Promise<void> => {
  const [first] = await listProcesses(url);
  if (first === undefined) return;
  const { osPid, host, role } = first;
  throw new Error(`process ${osPid} on ${host} runs on this database (${role})${how}: stop it first`);
};

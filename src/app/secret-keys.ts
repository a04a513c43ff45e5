import { hkdfSync } from 'node:crypto';
import type { Pool } from 'pg';
import type { LiveProcess } from '../adapters/postgres/process-registry.ts';
import {
  beginReplacement,
  keyIdOf,
  type SecretState,
  secretState,
} from '../adapters/postgres/secret-keys/secret-state.ts';
import { type Config, ConfigError } from '../config.ts';
import type { DerivedKey, KeyRing } from '../kernel/key-ring.ts';

type Secrets = Pick<Config, 'secretKey' | 'previousSecretKey'>;

/** The secrets that the rows of a database are made with. */
export type SecretKeys = {
  /** The id of the key that makes what is new. */
  readonly currentId: string;
  /** The fingerprint of the key that is being replaced; null: none is. */
  readonly replaces: string | null;
  /** When the newest replacement began. */
  readonly begunAt: Date | null;
  /** Derives the keys of one purpose. */
  readonly ring: (purpose: string) => KeyRing;
  /** The secrets by the ids of their keys. */
  readonly secretOf: (keyId: string) => string | null;
};

/** Derives a key of 32 bytes for one purpose from SECRET_KEY. */
const subkey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'steno', purpose, 32));

/** Identifies a SECRET_KEY without revealing other derived keys. */
export const fingerprintOf = (secret: string): string => subkey(secret, 'fingerprint').toString('hex');

const secretsOf = ({ secretKey, previousSecretKey }: Secrets): readonly string[] =>
  previousSecretKey === null ? [secretKey] : [secretKey, previousSecretKey];

/** The ids of the keys of a process, its SECRET_KEY first. */
export const keyIdsOf = (config: Secrets): readonly string[] =>
  secretsOf(config).map((secret) => keyIdOf(fingerprintOf(secret)));

/** The keys of a database in this state. */
export const secretKeysOf = (
  config: Secrets,
  { fingerprint, previous, begunAt, unmarkedId }: SecretState,
): SecretKeys => {
  const currentId = keyIdOf(fingerprint);
  const ids = keyIdsOf(config);
  const secrets = new Map(secretsOf(config).map((secret, index) => [ids[index] ?? '', secret]));
  const derived = (id: string, purpose: string): DerivedKey => ({ id, bytes: subkey(secrets.get(id) ?? '', purpose) });
  return {
    currentId,
    replaces: previous,
    begunAt,
    ring: (purpose) => {
      const current = derived(currentId, purpose);
      const others = ids.filter((id) => id !== currentId).map((id) => derived(id, purpose));
      return { current, all: [current, ...others], unmarkedId };
    },
    secretOf: (keyId) => secrets.get(keyId) ?? null,
  };
};

/**
 * The keys for a database that is begun with one of them. Refuses any other SECRET_KEY at the start: with it no stored
 * password verifies, which would only show at the next sign-in. A start with a new SECRET_KEY and the former one as
 * SECRET_KEY_PREVIOUS begins to replace it, once every live process has both. `processes`: the others.
 */
export const openSecretKeys = async (
  pool: Pool,
  config: Secrets,
  processes: () => Promise<readonly LiveProcess[]>,
): Promise<SecretKeys> => {
  const [own = '', other = null] = secretsOf(config).map(fingerprintOf);
  const first = await secretState(pool, own);
  if (first.previous === null && first.fingerprint === other) {
    if (first.retired === own) throw new ConfigError(isRetired);
    const from = other;
    await beginReplacement(pool, { from, to: own }, async () => requireKey(await processes(), keyIdOf(own)));
  }
  const state = await secretState(pool, own);
  const wanted = [state.fingerprint, ...(state.previous === null ? [] : [state.previous])];
  if (wanted.every((fingerprint) => [own, other].includes(fingerprint))) {
    return secretKeysOf(config, state);
  }
  const isOneKnown = wanted.some((fingerprint) => [own, other].includes(fingerprint));
  throw new ConfigError(isOneKnown ? isUnfinished : isForeign);
};

const isForeign =
  'SECRET_KEY is not the one that this database was created with; set that one, or set it as SECRET_KEY_PREVIOUS to replace it: with another key alone nobody can sign in and webhooks have different secrets (if it is lost, see docs/backup.md)';
const isUnfinished =
  'SECRET_KEY is being replaced, and some rows still use the former key: set the new one as SECRET_KEY and the former one as SECRET_KEY_PREVIOUS until steno doctor says that it can be removed (if it is lost, see docs/backup.md)';
const isRetired =
  'SECRET_KEY was replaced in this database by the key that is now set as SECRET_KEY_PREVIOUS: set that one as SECRET_KEY';

const requireKey = (processes: readonly LiveProcess[], keyId: string): void => {
  const without = processes.find(({ keyIds }) => !keyIds.includes(keyId));
  if (without === undefined) return;
  const { role, osPid, host } = without;
  throw new ConfigError(
    `SECRET_KEY would replace the key of this database, but process ${osPid} on ${host} (${role}) does not have it: stop it first, or restart it with the new key as SECRET_KEY_PREVIOUS (docs/backup.md)`,
  );
};

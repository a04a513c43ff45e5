import type { Pool } from 'pg';
import { elapsedMs } from '../../kernel/clock.ts';

/**
 * How long it is taken for granted that nothing has changed, and how long it is kept that a key is unknown. A revoked key is
 * refused by every process within a second.
 */
export const unchangedMs = 800;

/** What tells a process that something it remembers of keys and accounts has changed, in whichever process. */
export type CredentialVersion = ReturnType<typeof credentialVersion>;

/** The one number of migrations 0031 and 0066, which changes with every key, suspension and setting of an account. */
export const credentialVersion = (pool: Pool, freshMs = unchangedMs) => {
  const listeners: (() => void)[] = [];
  let known: string | undefined;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;

  const ask = async (): Promise<void> => {
    // Before the query: what changes while it runs is seen by the next one.
    const startedAtMs = elapsedMs();
    const { rows } = await pool.query<{ version: string }>('SELECT version FROM credential_version');
    const version = rows[0]?.version;
    if (version !== known) for (const listener of listeners) listener();
    known = version;
    checkedAtMs = startedAtMs;
  };
  return {
    /** False: `check` has to be awaited before anything remembered is used. */
    isFresh: (): boolean => elapsedMs() - checkedAtMs < freshMs,
    /** Calls the listeners if there was a change. Asks the database when it has not for some time; concurrent callers share the query. */
    check: (): Promise<void> => {
      checking ??= ask().finally(() => {
        checking = null;
      });
      return checking;
    },
    onChange: (listener: () => void): void => void listeners.push(listener),
  };
};

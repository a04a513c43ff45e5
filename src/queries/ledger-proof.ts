import type { EventMeta } from '../eventlog/event-log.ts';
import { hashOf, type Link } from '../eventlog/hash-chain.ts';

/** An entry of a ledger as its owner reads it, as far as its hash covers it. `version` is decimal. */
export type ProvedEntry = Omit<Link, 'version' | 'data' | 'meta'> & {
  readonly data: Readonly<Record<string, unknown>>;
  readonly version: string;
  /** What surrounds the event, as it was hashed. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly prevHash: string;
  readonly hash: string;
};

/** What is wrong with the first of these entries, newest first, that does not hold; null: they hold. */
export const brokenEntry = (entries: readonly ProvedEntry[]): string | null => {
  for (const [index, { version, meta, ...entry }] of entries.entries()) {
    const link = { ...entry, version: BigInt(version), meta: meta as EventMeta };
    if (hashOf(entry.prevHash, link) !== entry.hash) {
      return `event ${entry.id} was changed after it was stored`;
    }
    const earlier = entries[index + 1];
    if (earlier !== undefined && earlier.hash !== entry.prevHash) {
      return `event ${entry.id} does not follow the one before it`;
    }
  }
  return null;
};

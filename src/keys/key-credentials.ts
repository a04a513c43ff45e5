import type { Transaction } from '../eventlog/event-log.ts';
import type { KeyCap } from './key.ts';

/** The account and the permissions of a key. */
export type KeyCredential = KeyCap & {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  /** Its account is suspended. */
  readonly isSuspended: boolean;
};

/** The table of key hashes, which is not part of the log. The port of `adapters/postgres/key-credentials-postgres.ts`. */
export type KeyCredentials = {
  /** The active key with this hash (`hashOfSecret`), else null. A revoked key is no longer found after one second. */
  find(secretHash: string): Promise<KeyCredential | null>;
  /** Clears the cache of this process, after a change of a key. */
  forget(): void;
  /** Ids of the active keys; at most `maxActive` of `insertIn`. */
  activeKeyIds(accountId: string): Promise<readonly string[]>;
  /** Inserts a new key in the transaction of its `KeyCreated`; false when the account has `maxActive` keys already. */
  insertIn(
    transaction: Transaction,
    key: Omit<KeyCredential, 'isSuspended'> & {
      readonly secretHash: string;
      readonly expiresAt: string | null;
      readonly createdAt: string;
    },
    maxActive: number,
  ): Promise<boolean>;
  /** Sets the cap of a key in the transaction of its `KeyCapSet`. */
  setCapIn(transaction: Transaction, cap: KeyCap & { readonly keyId: string }): Promise<void>;
  /** Sets the end of a key in the transaction of its `KeyRevoked` or `KeyRolled`. */
  endIn(
    transaction: Transaction,
    end: { readonly keyId: string; readonly revokedAt: string | null; readonly expiresAt: string | null },
  ): Promise<void>;
};

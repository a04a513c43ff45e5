import type { Transaction } from '../eventlog/event-log.ts';

/** A key as a request needs it: whose it is and what it may. */
export type KeyCredential = {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly capCredits: number | null;
  /** Its account is suspended. */
  readonly isSuspended: boolean;
};

/** Where the hashes of keys are kept, beside the events. The port of `adapters/key-credentials.ts`. */
export type KeyCredentials = {
  /** The key with this hash (`hashOfSecret`) if it is good now, else null. A revoked key is gone within a second. */
  find(secretHash: string): Promise<KeyCredential | null>;
  /** Forgets what was looked up: for the process that changes a key. */
  forget(): void;
  countActive(accountId: string): Promise<number>;
  /** Ids of the keys that are good now; an account has as many as `insertIn` lets it. */
  activeKeyIds(accountId: string): Promise<readonly string[]>;
  /** Keeps a new key, in the transaction of its `KeyCreated`; false when the account has `maxActive` keys already. */
  insertIn(
    transaction: Transaction,
    key: Omit<KeyCredential, 'isSuspended'> & {
      readonly secretHash: string;
      readonly expiresAt: string | null;
      readonly createdAt: string;
    },
    maxActive: number,
  ): Promise<boolean>;
  /** Ends a key, in the transaction of its `KeyRevoked` or `KeyRolled`. */
  endIn(
    transaction: Transaction,
    end: {
      readonly keyId: string;
      readonly revokedAt: string | null;
      readonly expiresAt: string | null;
    },
  ): Promise<void>;
};

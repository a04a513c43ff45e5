import type { Transaction } from '../eventlog/event-log.ts';
import type { AuthorizationGranted } from './authorization.ts';

/** An authorization as it is kept beside the log. Times are RFC 3339 in UTC. */
export type StoredAuthorization = Omit<AuthorizationGranted['data'], 'by' | 'at'> & {
  /** As the application names itself. */
  readonly clientName: string;
  readonly createdAt: string;
  readonly endedAt: string | null;
};

/** The authorization behind an access token that is valid now. */
export type TokenCredential = Pick<
  StoredAuthorization,
  'authorizationId' | 'accountId' | 'creditsPerDay' | 'creditsTotal'
> & {
  /** Of the token: those of the authorization, or fewer. */
  readonly scopes: readonly string[];
  /** Which resource the token is for. */
  readonly audience: string;
  /** Its account is suspended. */
  readonly isSuspended: boolean;
};

/** The table of authorizations. The port of `adapters/postgres/authorizations-postgres.ts`. */
export type AuthorizationStore = {
  /** The authorization of an access token; null for a token that is unknown, over, or of an authorization that is over. */
  findByToken(token: string): Promise<TokenCredential | null>;
  /** Null for one that is unknown, or of an account that was erased. */
  find(authorizationId: string): Promise<StoredAuthorization | null>;
  /** Whether an authorization has neither ended nor expired. */
  isActive(authorizationId: string): Promise<boolean>;
  /** The newest first, those that are over too; at most 500. */
  listed(accountId: string): Promise<readonly StoredAuthorization[]>;
  /** Ids of those that have not ended. */
  activeIds(accountId: string): Promise<readonly string[]>;
  /**
   * Inserts one in the transaction of its `AuthorizationGranted`; false when the account has `maxActive` already, or made
   * as many within a day.
   */
  insertIn(
    transaction: Transaction,
    authorization: Omit<StoredAuthorization, 'endedAt'>,
    maxActive: number,
  ): Promise<boolean>;
  /** Ends one in the transaction of its `AuthorizationEnded`, and deletes its tokens. */
  endIn(transaction: Transaction, end: { readonly authorizationId: string; readonly endedAt: string }): Promise<void>;
};

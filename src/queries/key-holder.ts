import { type KeyScope, keyScopes } from '../contract/key-scopes.ts';
import type { PlanKey } from '../contract/plan-keys.ts';
import type { Balance, Freshness } from '../credits/ledger/ledger-service.ts';
import { planOf } from '../credits/plans/plans.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { KeyCredential, KeyCredentials } from '../keys/key-credentials.ts';
import { hashOfSecret, isWellFormed } from '../keys/key-secret.ts';

/** The holder of a key that is valid now. */
export type KeyHolder = Omit<KeyCredential, 'isSuspended' | 'scopes'> & {
  readonly scopes: readonly KeyScope[];
  readonly plan: PlanKey;
  readonly limitPerMinute: number;
};

/** Whether this program knows what a scope allows. */
export const isScope = (scope: string): scope is KeyScope => keyScopes.some((known) => known === scope);

/** A plan that another process assigned is seen after this time at the latest. */
export const planBelievedMs = 5_000;

/** Finds the holder of a secret, or null. A secret whose checksum is wrong is refused without a query. */
export const findKeyHolder =
  ({
    credentials,
    balanceOf,
  }: {
    readonly credentials: Pick<KeyCredentials, 'find'>;
    /** Reads the open book, as old as `withinMs` allows. */
    readonly balanceOf: (accountId: string, options: Freshness) => Promise<Pick<Balance, 'plan'>>;
  }) =>
  async (secret: string): Promise<KeyHolder | null> => {
    if (!isWellFormed(secret)) return null;
    const found = await credentials.find(hashOfSecret(secret));
    if (found === null) return null;
    const { isSuspended, ...key } = found;
    if (isSuspended) {
      throw new Refusal('ACCOUNT_SUSPENDED', 'This account is suspended. Contact the operator.');
    }
    const scopes = found.scopes.filter(isScope);
    // A later program gave it scopes that this one does not know: no list at all would allow everything.
    if (scopes.length === 0 && found.scopes.length > 0) return null;
    const { plan } = await balanceOf(found.accountId, { fresh: true, withinMs: planBelievedMs });
    const { limitPerMinute } = planOf(plan);
    return { ...key, scopes, plan, limitPerMinute };
  };

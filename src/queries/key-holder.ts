import { suspended } from '../accounts/account.ts';
import { type KeyScope, keyScopes } from '../contract/key-scopes.ts';
import type { PlanKey } from '../contract/plan-keys.ts';
import { planInForce, type ReadBalance } from '../credits/plans/plan-in-force.ts';
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

/** Finds the holder of a secret, or null. A secret whose checksum is wrong is refused without a query. */
export const findKeyHolder =
  ({
    credentials,
    balanceOf,
  }: {
    readonly credentials: Pick<KeyCredentials, 'find'>;
    readonly balanceOf: ReadBalance;
  }) =>
  async (secret: string): Promise<KeyHolder | null> => {
    if (!isWellFormed(secret)) return null;
    const found = await credentials.find(hashOfSecret(secret));
    if (found === null) return null;
    const { isSuspended, ...key } = found;
    if (isSuspended) throw suspended();
    const scopes = found.scopes.filter(isScope);
    // A later program gave it scopes that this one does not know: no list at all would allow everything.
    if (scopes.length === 0 && found.scopes.length > 0) return null;
    const { key: plan, limitPerMinute } = await planInForce(balanceOf, found.accountId);
    return { ...key, scopes, plan, limitPerMinute };
  };

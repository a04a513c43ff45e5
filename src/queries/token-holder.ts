import { suspended } from '../accounts/account.ts';
import type { AuthorizationStore, TokenCredential } from '../authorizations/authorization-store.ts';
import type { KeyScope } from '../contract/key-scopes.ts';
import { isOAuthScope } from '../contract/oauth.ts';
import type { PlanKey } from '../contract/plan-keys.ts';
import { planInForce, type ReadBalance } from '../credits/plans/plan-in-force.ts';
import type { Budget } from '../kernel/call.ts';

/** The application behind an access token that is valid now. */
export type TokenHolder = Pick<TokenCredential, 'accountId' | 'authorizationId' | 'audience'> & {
  /** At least one. */
  readonly scopes: readonly KeyScope[];
  readonly budget: Budget;
  readonly plan: PlanKey;
  readonly limitPerMinute: number;
};

/** Finds the application behind an access token, or null. Throws ACCOUNT_SUSPENDED. */
export const findTokenHolder =
  ({
    authorizations,
    balanceOf,
  }: {
    readonly authorizations: Pick<AuthorizationStore, 'findByToken'>;
    readonly balanceOf: ReadBalance;
  }) =>
  async (token: string): Promise<TokenHolder | null> => {
    const found = await authorizations.findByToken(token);
    if (found === null) return null;
    if (found.isSuspended) throw suspended();
    const { accountId, authorizationId, audience, creditsPerDay, creditsTotal } = found;
    const scopes = found.scopes.filter(isOAuthScope);
    // No list at all would allow everything.
    if (scopes.length === 0) return null;
    const { key: plan, limitPerMinute } = await planInForce(balanceOf, accountId);
    const budget = { creditsPerDay, creditsTotal };
    return { accountId, authorizationId, scopes, budget, audience, plan, limitPerMinute };
  };

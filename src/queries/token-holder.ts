import type { AuthorizationStore, TokenCredential } from '../authorizations/authorization-store.ts';
import type { KeyScope } from '../contract/key-scopes.ts';
import { isOAuthScope } from '../contract/oauth.ts';
import type { PlanKey } from '../contract/plan-keys.ts';
import type { Balance, Freshness } from '../credits/ledger/ledger-service.ts';
import { planOf } from '../credits/plans/plans.ts';
import type { Budget } from '../kernel/call.ts';
import { Refusal } from '../kernel/refusal.ts';
import { planBelievedMs } from './key-holder.ts';

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
    readonly balanceOf: (accountId: string, options: Freshness) => Promise<Pick<Balance, 'plan'>>;
  }) =>
  async (token: string): Promise<TokenHolder | null> => {
    const found = await authorizations.findByToken(token);
    if (found === null) return null;
    if (found.isSuspended) {
      throw new Refusal('ACCOUNT_SUSPENDED', 'This account is suspended. Contact the operator.');
    }
    const { accountId, authorizationId, audience, creditsPerDay, creditsTotal } = found;
    const scopes = found.scopes.filter(isOAuthScope);
    // No list at all would allow everything.
    if (scopes.length === 0) return null;
    const { plan } = await balanceOf(accountId, { fresh: true, withinMs: planBelievedMs });
    const { limitPerMinute } = planOf(plan);
    const budget = { creditsPerDay, creditsTotal };
    return { accountId, authorizationId, scopes, budget, audience, plan, limitPerMinute };
  };

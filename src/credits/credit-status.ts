import type { PlanKey } from '../contract/plan-keys.ts';
import { type Plan, planOf, plans as usualPlans } from './plans/plans.ts';

/** What an account is told about the credits of its period; `upgradeNudge`: one sentence when they are low, else null. */
export type CreditStatus = Readonly<ReturnType<typeof creditStatus>>;

/** At or below this many, the credits of a plan count as low. */
export const lowThresholdOf = ({ includedCredits }: Plan): number => Math.max(1, Math.floor(includedCredits / 10));

type StatusOptions = {
  readonly isBillingConfigured: boolean;
  /** As the operator describes them. */
  readonly plans?: readonly Plan[];
};

/** `remaining`: what can be spent now. A plan without limit is never low and never exhausted. */
export const creditStatus = (
  key: PlanKey,
  remaining: number,
  { isBillingConfigured, plans = usualPlans }: StatusOptions,
) => {
  const plan = planOf(key, plans);
  const included = plan.includedCredits;
  const threshold = lowThresholdOf(plan);
  const isLow = !plan.isUnlimited && remaining <= threshold;
  const isExhausted = !plan.isUnlimited && remaining <= 0;
  const isUpgradeAvailable = isBillingConfigured && plans.at(-1)?.key !== key;
  return {
    included,
    remaining: plan.isUnlimited ? 0 : remaining,
    threshold,
    isLow,
    isExhausted,
    isUnlimited: plan.isUnlimited,
    isUpgradeAvailable,
    upgradeNudge: isLow ? nudge(plan, remaining, { isExhausted, isUpgradeAvailable }) : null,
  };
};

const nudge = (
  { label }: Plan,
  remaining: number,
  { isExhausted, isUpgradeAvailable }: { isExhausted: boolean; isUpgradeAvailable: boolean },
): string => {
  const state = isExhausted
    ? `All credits of the ${label} plan are used.`
    : `${remaining} ${remaining === 1 ? 'credit' : 'credits'} of the ${label} plan ${remaining === 1 ? 'is' : 'are'} left.`;
  return isUpgradeAvailable ? `${state} A larger plan has more.` : state;
};

import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import { Refusal } from '../kernel/refusal.ts';
import { refuseAboveBudget } from './authorization-spend.ts';
import { budgetsReached, refuseAboveCap } from './caps.ts';
import { payerOf } from './credit-balance.ts';
import type { BudgetReached, CreditsCharged, State } from './credits.ts';
import { type CommandMetadata, keyIdOf, type LedgerContext, ledgerEventIdOf } from './ledger-context.ts';
import { isPlanKey, planOf } from './plans/plans.ts';
import { type PriceFacts, priceBook, type UsageKind } from './prices.ts';

/** A charge for one success. `what` distinguishes the charges of one operation, for instance by video. */
export type Charge = {
  readonly what: string;
  readonly operation: UsageKind;
  /** Whole credits, more than 0. */
  readonly amount: number;
  /** Requests that usage counts for it: 1, or 0 for the second and later charges of one request. */
  readonly requests: number;
  readonly videoId: string | null;
  /** What its price depended on besides the operation. */
  readonly pricedBy?: PriceFacts;
  readonly delivery?: Delivery;
  /** Of an AI operation. */
  readonly modelUse?: ModelUse;
};

/** The sum of the amounts of charges, in credits. */
export const costOf = (charges: readonly Charge[]): number => charges.reduce((sum, { amount }) => sum + amount, 0);

/** What was delivered for a charge. */
export type Delivery = Readonly<
  Required<Pick<CreditsCharged['data'], 'contentSha256'>> & Pick<CreditsCharged['data'], 'format' | 'options'>
>;

/** What an AI operation used of a model; `model` null: it fell back to an answer without one. */
export type ModelUse = Required<
  Pick<CreditsCharged['data'], 'model' | 'promptVersion' | 'inputTokens' | 'outputTokens'>
>;

/** All charges of one request: together or not at all. Those that an earlier attempt made are not repeated. */
export type ChargeCredits = Command<
  'ChargeCredits',
  { context: LedgerContext; charges: readonly Charge[] },
  CommandMetadata
>;

/** The id of the charge and of its event. The same call and `what` give the same id, so a repeat charges nothing. */
export const chargeIdOf = (context: LedgerContext, { operation, what }: Pick<Charge, 'operation' | 'what'>) =>
  ledgerEventIdOf(context, `charge|${operation}|${what}`);

/**
 * The charges that have not happened yet. Throws INSUFFICIENT_CREDITS when their sum is more than is available, or more than
 * the key's cap leaves, BUDGET_EXHAUSTED above the budget of an authorization; a fault for an amount that is not a whole number above 0.
 */
export const decide = (
  { data: { context, charges }, metadata: { now, known } }: ChargeCredits,
  state: State,
): (CreditsCharged | BudgetReached)[] => {
  const due = charges
    .map((charge) => ({ ...charge, chargeId: chargeIdOf(context, charge) }))
    .filter(({ chargeId }) => !known.has(chargeId));
  const required = costOf(due);
  const at = now.toISOString();
  refuseUnaffordable(state, context, required, at);
  const charged = due.map((charge): CreditsCharged => {
    assert(Number.isSafeInteger(charge.amount), 'credits are whole');
    assert(charge.amount > 0, 'a charge takes something');
    return {
      type: 'CreditsCharged',
      data: {
        accountId: context.accountId,
        chargeId: charge.chargeId,
        operation: charge.operation,
        amount: charge.amount,
        requests: charge.requests,
        priceBook,
        keyId: keyIdOf(context),
        videoId: charge.videoId,
        ...(charge.modelUse === undefined ? {} : modelFieldsOf(charge.modelUse)),
        ...charge.delivery,
        ...(charge.pricedBy === undefined ? {} : { pricedBy: charge.pricedBy }),
        ...payerOf(context),
        requestId: context.requestId,
        at,
      },
    };
  });
  return [...charged, ...budgetsReached(state, context, required, at)];
};

/** The members of an event that tell what was used of a model. */
export const modelFieldsOf = ({ model, promptVersion, inputTokens, outputTokens }: ModelUse) => {
  assert(Number.isSafeInteger(inputTokens + outputTokens), 'tokens are whole');
  return { model, promptVersion, inputTokens, outputTokens };
};

/** Whether the plan charges without a balance, to be invoiced later. */
export const isUnlimited = ({ plan }: Pick<State, 'plan'>): boolean =>
  plan !== null && isPlanKey(plan) && planOf(plan).isUnlimited;

/**
 * Throws INSUFFICIENT_CREDITS when `required` is more than is available or than the key's cap leaves, BUDGET_EXHAUSTED above
 * the budget of an authorization. `at`: RFC 3339 in UTC.
 */
export const refuseUnaffordable = (
  state: Readonly<State>,
  context: LedgerContext,
  required: number,
  at: string,
  heldElsewhere = 0,
): void => {
  const remaining = state.available - heldElsewhere;
  // An unlimited plan is never refused for its balance.
  if (required > 0 && required > remaining && !isUnlimited(state)) {
    const left = Math.max(0, remaining);
    throw new Refusal(
      'INSUFFICIENT_CREDITS',
      `This operation needs ${required} ${required === 1 ? 'credit' : 'credits'}; ${left} ${left === 1 ? 'is' : 'are'} left.`,
      { required, remaining: left },
    );
  }
  refuseAboveCap(state, context, required, at);
  refuseAboveBudget(state, context, required, at);
};

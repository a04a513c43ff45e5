import { wholeCap } from '../contract/caps.ts';
import { uuidOf } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import { budgetsOf } from './authorization-spend.ts';
import type { BudgetReached, State } from './credits.ts';
import { spentInWindow, toldWindow } from './key-spend.ts';
import { keyIdOf, type LedgerContext } from './ledger-context.ts';

type Spending = Pick<State, 'spentByKey' | 'recentByKey' | 'period'>;

/** The cap of the key behind a call, with what it has spent of it; null: it has none, or no key acts. */
const capOf = (state: Spending, context: LedgerContext, at: string) => {
  const keyId = keyIdOf(context);
  const { capCredits, capPeriod = 'period', warnAt = [] } = context;
  if (keyId === null || capCredits === null) return null;
  return { keyId, capCredits, capPeriod, warnAt, ...spentInWindow(state, keyId, capPeriod, at) };
};

const spans = { day: 'a day', week: 'a week', period: 'a billing period' } as const;

/** Throws INSUFFICIENT_CREDITS when the key may not spend `required` more in the window of its cap. `at`: RFC 3339 in UTC. */
export const refuseAboveCap = (state: Spending, context: LedgerContext, required: number, at: string): void => {
  const cap = required === 0 ? null : capOf(state, context, at);
  if (cap === null) return;
  const { capCredits, capPeriod, spent } = cap;
  const left = Math.max(0, capCredits - spent);
  if (required <= left) return;
  throw new Refusal(
    'INSUFFICIENT_CREDITS',
    `This key may spend ${capCredits} credits in ${spans[capPeriod]}; ${left} of them are left.`,
    { required, remaining: left, key_cap: capCredits, cap_period: capPeriod },
  );
};

/**
 * The shares of the cap of its key, or of the budget of its authorization, that a call reaches by spending or reserving
 * `required` credits, and that were not told in their window.
 */
export const budgetsReached = (
  state: State,
  context: LedgerContext,
  required: number,
  at: string,
): readonly BudgetReached[] => {
  if (required === 0) return [];
  const cap = capOf(state, context, at);
  const { told } = state.recentByKey.get(cap?.keyId ?? '') ?? {};
  const caps = cap === null ? [] : [{ ...cap, told: told?.window === toldWindow(cap) ? told.share : 0 }];
  return [...caps, ...budgetsOf(state, context, at)].flatMap(({ warnAt, told, ...limit }) => {
    const { capCredits } = limit;
    const spent = limit.spent + required;
    const isReached = (share: number) => share > told && spent * wholeCap >= share * capCredits;
    const who = 'keyId' in limit ? limit.keyId : limit.authorizationId;
    return [...warnAt, wholeCap]
      .filter(isReached)
      .map((share) => ({
        type: 'BudgetReached' as const,
        data: {
          accountId: context.accountId,
          noticeId: uuidOf(`${context.accountId}|budget|${who}|${toldWindow(limit)}|${share}`),
          ...limit,
          ...{ spent, share },
          requestId: context.requestId,
          at,
        },
      }));
  });
};

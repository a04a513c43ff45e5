import { wholeCap } from '../contract/caps.ts';
import { uuidOf } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
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

/** The shares of its cap that a key reaches by spending or reserving `required` credits, and that were not told in this window. */
export const budgetsReached = (
  state: State,
  context: LedgerContext,
  required: number,
  at: string,
): readonly BudgetReached[] => {
  const cap = required === 0 ? null : capOf(state, context, at);
  if (cap === null) return [];
  const { keyId, capCredits, capPeriod, warnAt, window } = cap;
  const spent = cap.spent + required;
  const { told } = state.recentByKey.get(keyId) ?? {};
  const toldShare = told?.window === toldWindow(cap) ? told.share : 0;
  const isReached = (share: number) => share > toldShare && spent * wholeCap >= share * capCredits;
  return [...warnAt, wholeCap].filter(isReached).map((share) => ({
    type: 'BudgetReached',
    data: {
      accountId: context.accountId,
      noticeId: uuidOf(`${context.accountId}|budget|${keyId}|${toldWindow(cap)}|${share}`),
      ...{ keyId, capCredits, capPeriod, window, spent, share },
      requestId: context.requestId,
      at,
    },
  }));
};

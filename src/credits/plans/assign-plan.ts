import type { Command } from '@event-driven-io/emmett';
import type { PlanKey } from '../../contract/plan-keys.ts';
import type { CreditsEvent, State } from '../credits.ts';
import { type CommandMetadata, type LedgerContext, ledgerEventIdOf } from '../ledger-context.ts';
import { bookOverdraft, expireGrants, planGrant } from './renew-period.ts';

/**
 * Puts the account on another plan. Credits left of the old plan expire; the new plan grants what it includes, less what
 * this period has used of its plans already.
 */
export type AssignPlan = Command<'AssignPlan', { context: LedgerContext; plan: PlanKey }, CommandMetadata>;

/** The id of the event of an assignment: the same for the same request and plan. */
export const assignmentIdOf = ({ data }: Pick<AssignPlan, 'data'>): string =>
  ledgerEventIdOf(data.context, `plan|${data.plan}`);

/** Nothing when the account is on the plan already. */
export const decide = (command: AssignPlan, state: State): CreditsEvent[] => {
  const { context, plan } = command.data;
  const assignmentId = assignmentIdOf(command);
  if (command.metadata.known.has(assignmentId) || state.plan === plan) return [];
  const { accountId } = context;
  const at = command.metadata.now.toISOString();
  const left = state.grants.filter(({ kind }) => kind === 'plan');
  return [
    ...bookOverdraft(state, at),
    ...expireGrants(state, left, at),
    {
      type: 'PlanAssigned',
      data: { accountId, assignmentId, plan, by: context.actor.id, requestId: context.requestId, at },
    },
    ...planGrant({
      accountId,
      plan,
      reference: assignmentId,
      closesAt: state.closesAt,
      requestId: context.requestId,
      used: state.planUse,
      at,
    }),
  ];
};

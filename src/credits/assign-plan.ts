import type { Command } from '@event-driven-io/emmett';
import type { CreditsEvent, State } from './credits.ts';
import { expired, planGrant, postpaid } from './open-book.ts';
import { type Circumstances, type Origin, operationIdOf } from './origin.ts';
import type { PlanKey } from './plans.ts';

/** The account is on another plan from now on. What is left of the old plan expires; the new one grants what it includes, less what this period has used already of its plans. */
export type AssignPlan = Command<'AssignPlan', { origin: Origin; plan: PlanKey }, Circumstances>;

export const assignmentIdOf = ({ data }: Pick<AssignPlan, 'data'>): string =>
  operationIdOf(data.origin, `plan|${data.plan}`);

/** Nothing when the account is on the plan already. */
export const decide = (command: AssignPlan, state: State): CreditsEvent[] => {
  const { origin, plan } = command.data;
  const assignmentId = assignmentIdOf(command);
  if (command.metadata.known.has(assignmentId) || state.plan === plan) return [];
  const { accountId } = origin;
  const at = command.metadata.now.toISOString();
  const left = state.grants.filter(({ kind }) => kind === 'plan');
  return [
    ...postpaid(state, at),
    ...expired(state, left, at),
    {
      type: 'PlanAssigned',
      data: { accountId, assignmentId, plan, by: origin.actor.id, requestId: origin.requestId, at },
    },
    ...planGrant({
      accountId,
      plan,
      reference: assignmentId,
      closesAt: state.closesAt,
      requestId: origin.requestId,
      used: state.planUse,
      at,
    }),
  ];
};

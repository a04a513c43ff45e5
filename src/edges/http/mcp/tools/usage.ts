import { z } from 'zod';
import { type agentUsageSchema, usageTool } from '../../../../contract/agent-tools.ts';
import { readUsage } from '../../../../contract/usage.ts';
import type { Call } from '../../../../kernel/call.ts';
import type { Queries } from '../../../../queries.ts';
import { grantAnswer } from '../../middleware/account-answers.ts';
import { json } from '../../middleware/response.ts';
import type { Application } from '../../middleware/route.ts';
import { type Tool, tool } from './tool.ts';

type AgentUsage = z.input<typeof agentUsageSchema>;

/** What limits the caller besides the credits of its account. */
const budgetOf = async (queries: Pick<Queries, 'grants' | 'keys'>, call: Call): Promise<AgentUsage['budget']> => {
  const { accountId, actor, authorizationId } = call;
  if (authorizationId !== undefined) {
    const grant = (await queries.grants(accountId)).find((one) => one.authorizationId === authorizationId);
    if (grant === undefined) return null;
    const { credits_per_day, credits_used_today, credits_total, credits_used, expires_at } = grantAnswer(grant);
    return { credits_per_day, credits_used_today, credits_total, credits_used, expires_at };
  }
  if (call.capCredits === null) return null;
  const key = (await queries.keys(accountId)).find(({ keyId }) => keyId === actor.id);
  if (key === undefined || key.capCredits === null) return null;
  return { cap_credits: key.capCredits, cap_period: key.capPeriod, spent: key.capUsed ?? 0 };
};

/** What is left, what was spent today, and what each of these tools costs. */
export const usage = ({ queries }: Application<never, 'grants' | 'keys' | 'usage'>, others: readonly Tool[]): Tool => {
  const prices = Object.fromEntries(others.map(({ name, credits }) => [name, credits]));
  return tool({
    ...usageTool,
    scope: readUsage.scope,
    operation: null,
    input: z.object({}),
    output: null,
    prepare: () => async (call) => {
      const report = await queries.usage(call.accountId, 1);
      const answer: AgentUsage = {
        credits_remaining: report.isUnlimited ? null : report.creditsRemaining,
        today: report.byKind.map(({ kind, count, credits }) => ({ operation: kind, count, credits })),
        prices: { ...prices, [usageTool.name]: 0 },
        budget: await budgetOf(queries, call),
      };
      return json(answer);
    },
  });
};

import { z } from 'zod';

/** The keys of all plans, from the lowest to the highest. */
export const planKey = z
  .enum(['free', 'starter', 'pro', 'scale', 'enterprise'])
  .meta({ id: 'PlanKey', description: 'key of the plan' });

export type PlanKey = z.output<typeof planKey>;

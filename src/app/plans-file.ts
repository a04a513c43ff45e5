import { type Config, ConfigError } from '../config.ts';
import { describePlans } from '../credits/plans/describe-plans.ts';
import { type Plan, plans } from '../credits/plans/plans.ts';

/** The plans as the file of the operator describes them; throws where it is not what it must be. */
export const describedPlans = ({ plansFile }: Pick<Config, 'plansFile'>): readonly Plan[] => {
  if (plansFile === null) return plans;
  try {
    return describePlans(plansFile);
  } catch (error) {
    throw new ConfigError(`PLANS_FILE: ${error instanceof Error ? error.message : String(error)}`);
  }
};

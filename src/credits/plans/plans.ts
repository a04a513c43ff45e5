import { z } from 'zod';

export const planKey = z
  .enum(['free', 'starter', 'pro', 'scale', 'enterprise'])
  .meta({ id: 'PlanKey', description: 'key of the plan' });

export type PlanKey = z.output<typeof planKey>;

/** What an account may use. `isUnlimited`: by contract, post-paid: usage is recorded and nothing is refused. */
export type Plan = {
  readonly key: PlanKey;
  readonly label: string;
  readonly monthlyPriceCents: number;
  readonly priceLabel: string;
  readonly includedCredits: number;
  readonly isUnlimited: boolean;
  readonly limitPerMinute: number;
  /** Videos that the library of an account may hold. */
  readonly libraryVideos: number;
  /** Channels and playlists that an account follows at once, at most. */
  readonly follows: number;
  readonly features: readonly string[];
};

const everywhere = ['All transcript formats', 'Batch requests', 'Jobs', 'Signed webhooks'];

/** The plan table of the specification, from the lowest to the highest. */
export const plans: readonly Plan[] = [
  {
    key: 'free',
    label: 'Free',
    monthlyPriceCents: 0,
    priceLabel: 'Free',
    includedCredits: 10_000,
    isUnlimited: false,
    limitPerMinute: 120,
    libraryVideos: 100,
    follows: 5,
    features: everywhere,
  },
  {
    key: 'starter',
    label: 'Starter',
    monthlyPriceCents: 900,
    priceLabel: '$9 / month',
    includedCredits: 1_000,
    isUnlimited: false,
    limitPerMinute: 240,
    libraryVideos: 1_000,
    follows: 25,
    features: everywhere,
  },
  {
    key: 'pro',
    label: 'Pro',
    monthlyPriceCents: 2_900,
    priceLabel: '$29 / month',
    includedCredits: 10_000,
    isUnlimited: false,
    limitPerMinute: 600,
    libraryVideos: 10_000,
    follows: 100,
    features: everywhere,
  },
  {
    key: 'scale',
    label: 'Scale',
    monthlyPriceCents: 9_900,
    priceLabel: '$99 / month',
    includedCredits: 50_000,
    isUnlimited: false,
    limitPerMinute: 1_500,
    libraryVideos: 100_000,
    follows: 1_000,
    features: everywhere,
  },
  {
    key: 'enterprise',
    label: 'Enterprise',
    monthlyPriceCents: 0,
    priceLabel: 'Custom',
    includedCredits: 0,
    isUnlimited: true,
    limitPerMinute: 3_000,
    libraryVideos: 100_000,
    follows: 1_000,
    features: [...everywhere, 'Contract-defined credits'],
  },
];

/** The plan with this key; a key that no plan has is a fault of the caller. */
export const planOf = (key: PlanKey): Plan => {
  const plan = plans.find((candidate) => candidate.key === key);
  if (plan === undefined) throw new Error(`no plan has the key ${key}`);
  return plan;
};

/** The keys of all plans, from the lowest to the highest. */
export const planKeys: readonly PlanKey[] = plans.map(({ key }) => key);

/** Whether a text is the key of a plan. */
export const isPlanKey = (key: string): key is PlanKey => plans.some((plan) => plan.key === key);

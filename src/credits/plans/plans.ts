import type { PlanKey } from '../../contract/plan-keys.ts';

/** What an account may use. `isUnlimited`: by contract, post-paid: usage is recorded and nothing is refused. */
export type Plan = {
  readonly key: PlanKey;
  readonly label: string;
  readonly monthlyPriceCents: number;
  /** Of the price; ISO 4217. */
  readonly currency: string;
  readonly priceLabel: string;
  /** An operator wrote `priceLabel`; else it follows from the price. */
  readonly isPriceDescribed: boolean;
  readonly includedCredits: number;
  readonly isUnlimited: boolean;
  readonly limitPerMinute: number;
  /** Videos that the library of an account may hold. */
  readonly libraryVideos: number;
  /** Channels and playlists that an account follows at once, at most. */
  readonly follows: number;
  readonly features: readonly string[];
  /** What an operator says of it in other languages than English, by their codes. */
  readonly texts: Readonly<Record<string, PlanTexts>>;
};

/** A description of a plan in one language; what it leaves out stays as it is without it. */
export type PlanTexts = { readonly [Name in 'label' | 'priceLabel' | 'features']?: Plan[Name] | undefined };

const everywhere: readonly string[] = ['All transcript formats', 'Batch requests', 'Jobs', 'Signed webhooks'];

/** What a plan has that does not say otherwise. */
const usual = { isUnlimited: false, features: everywhere, currency: 'USD', isPriceDescribed: false, texts: {} };

type PlanRow = Omit<Plan, keyof typeof usual | 'priceLabel'> & Partial<Pick<Plan, 'isUnlimited' | 'features'>>;

const rows: readonly PlanRow[] = [
  {
    key: 'free',
    label: 'Free',
    monthlyPriceCents: 0,
    includedCredits: 10_000,
    limitPerMinute: 120,
    libraryVideos: 100,
    follows: 5,
  },
  {
    key: 'starter',
    label: 'Starter',
    monthlyPriceCents: 900,
    includedCredits: 1_000,
    limitPerMinute: 240,
    libraryVideos: 1_000,
    follows: 25,
  },
  {
    key: 'pro',
    label: 'Pro',
    monthlyPriceCents: 2_900,
    includedCredits: 10_000,
    limitPerMinute: 600,
    libraryVideos: 10_000,
    follows: 100,
  },
  {
    key: 'scale',
    label: 'Scale',
    monthlyPriceCents: 9_900,
    includedCredits: 50_000,
    limitPerMinute: 1_500,
    libraryVideos: 100_000,
    follows: 1_000,
  },
  {
    key: 'enterprise',
    label: 'Enterprise',
    monthlyPriceCents: 0,
    includedCredits: 0,
    isUnlimited: true,
    limitPerMinute: 3_000,
    libraryVideos: 100_000,
    follows: 1_000,
    features: [...everywhere, 'Contract-defined credits'],
  },
];

/** A price of a month, in English. */
export const priceLabelOf = ({
  isUnlimited,
  monthlyPriceCents,
  currency,
}: Pick<Plan, 'isUnlimited' | 'monthlyPriceCents' | 'currency'>): string => {
  if (monthlyPriceCents === 0) return isUnlimited ? 'Custom' : 'Free';
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' });
  return `${format.format(monthlyPriceCents / 100)} / month`;
};

/** The plan table of the specification, from the lowest to the highest. */
export const plans: readonly Plan[] = rows.map((row) => {
  const plan = { ...usual, ...row };
  return { ...plan, priceLabel: priceLabelOf(plan) };
});

/** The plan with this key; a key that no plan has is a fault of the caller. */
export const planOf = (key: PlanKey, among: readonly Plan[] = plans): Plan => {
  const plan = among.find((candidate) => candidate.key === key);
  if (plan === undefined) throw new Error(`no plan has the key ${key}`);
  return plan;
};

/** Whether a text is the key of a plan. */
export const isPlanKey = (key: string): key is PlanKey => plans.some((plan) => plan.key === key);

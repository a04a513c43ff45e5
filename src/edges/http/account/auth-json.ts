import { z } from 'zod';
import type { Commands } from '../../../commands.ts';
import type { Plan } from '../../../queries.ts';

type Profile = Awaited<ReturnType<Commands['profile']>>;

export const userSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'User' });

export const planSchema = z
  .object({
    key: z.string(),
    label: z.string(),
    monthly_price_cents: z.int(),
    price_label: z.string(),
    credits: z.int(),
    rate_limit_per_min: z.int(),
    features: z.array(z.string()),
  })
  .meta({ id: 'Plan' });

/** The user and the plan after registering and signing in. */
export const signedInSchema = z.object({ user: userSchema, plan: planSchema }).meta({ id: 'SignedIn' });

/** The profile as JSON of the API. */
export const userJson = (profile: Profile): z.input<typeof userSchema> => ({
  id: profile.userId,
  email: profile.email,
  name: profile.name,
  created_at: profile.registeredAt.toISOString(),
});

/** A plan as JSON of the API. */
export const planJson = (plan: Plan): z.input<typeof planSchema> => ({
  key: plan.key,
  label: plan.label,
  monthly_price_cents: plan.monthlyPriceCents,
  price_label: plan.priceLabel,
  credits: plan.includedCredits,
  rate_limit_per_min: plan.limitPerMinute,
  features: [...plan.features],
});

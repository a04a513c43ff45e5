import { z } from 'zod';
import { pageLanguages } from '../../contract/languages.ts';
import { planKey } from '../../contract/plan-keys.ts';
import { type Plan, type PlanTexts, plans, priceLabelOf } from './plans.ts';

const label = z.string().trim().min(1).max(60);
const features = z.array(z.string().trim().min(1).max(100)).max(20);
const cents = z.int().min(0).max(100_000_000);

const currencyCode = z
  .string()
  .refine((code) => Intl.supportedValuesOf('currency').includes(code), 'it is no currency code like USD');

const textsSchema = z.strictObject({
  label: label.optional(),
  price_label: label.optional(),
  features: features.optional(),
});

const planSchema = textsSchema.extend({
  monthly_price_cents: cents.optional(),
  texts: z.partialRecord(z.enum(pageLanguages), textsSchema).default({}),
});

const fileSchema = z.strictObject({
  currency: currencyCode.default('USD'),
  plans: z.partialRecord(planKey, planSchema),
});

/**
 * The plans as an operator describes them: names, prices and features, in English and by language. A plan that the file
 * does not name stays as it is. Throws an error that says where the text is not what it must be.
 */
export const describePlans = (json: string): readonly Plan[] => {
  const { data, error } = fileSchema.safeParse(parsed(json));
  if (error !== undefined) {
    const [issue] = error.issues;
    throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
  }
  return plans.map((plan) => {
    const own = data.plans[plan.key];
    const priced = {
      ...plan,
      currency: data.currency,
      monthlyPriceCents: own?.monthly_price_cents ?? plan.monthlyPriceCents,
    };
    return {
      ...priced,
      label: own?.label ?? plan.label,
      features: own?.features ?? plan.features,
      priceLabel: own?.price_label ?? priceLabelOf(priced),
      isPriceDescribed: own?.price_label !== undefined,
      texts: Object.fromEntries(Object.entries(own?.texts ?? {}).map(([code, texts]) => [code, textsOf(texts)])),
    };
  });
};

const textsOf = ({ price_label: priceLabel, ...texts }: z.output<typeof textsSchema>): PlanTexts => ({
  ...texts,
  priceLabel,
});

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Error(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
};

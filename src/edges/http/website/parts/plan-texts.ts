import type { Plan } from '../../../../queries.ts';
import { fill, labelIn, type Words } from '../words.ts';

/**
 * Name, price and features of a plan in the language of the page: as the operator describes them in it, else those of the
 * plan table in words of the page, else as the operator describes them in English.
 */
export const planTexts = (
  { plans: words, language }: Words,
  plan: Plan,
): { readonly label: string; readonly price: string; readonly features: readonly string[] } => {
  const own = plan.texts[language] ?? {};
  return {
    label: own.label ?? plan.label,
    price: own.priceLabel ?? (plan.isPriceDescribed ? plan.priceLabel : priceOf(words, language, plan)),
    features: own.features ?? plan.features.map((feature) => labelIn(words.features, feature) ?? feature),
  };
};

const priceOf = ({ prices }: Words['plans'], language: string, plan: Plan): string =>
  plan.monthlyPriceCents > 0
    ? fill(prices.month, { price: money(language, plan, plan.monthlyPriceCents) })
    : plan.isUnlimited
      ? prices.custom
      : prices.free;

/** An amount in the currency of a plan, as the language writes money; full units without a fraction. */
export const money = (language: string, { currency }: Pick<Plan, 'currency'>, cents: number): string =>
  new Intl.NumberFormat(language, { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' }).format(
    cents / 100,
  );

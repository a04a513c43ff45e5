const small = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
] as const;
const tens = [
  'twenty',
  'thirty',
  'forty',
  'fifty',
  'sixty',
  'seventy',
  'eighty',
  'ninety',
] as const;

/** 0 to 199 in English words; throws a `RangeError` outside of that. */
export const inWords = (value: number): string => {
  if (!Number.isInteger(value) || value < 0 || value > 199) {
    throw new RangeError(`${value} has no words here`);
  }
  if (value >= 100)
    return value === 100 ? 'one hundred' : `one hundred and ${inWords(value - 100)}`;
  const unit = value < 20 ? small[value] : value % 10 === 0 ? undefined : small[value % 10];
  const ten = value < 20 ? undefined : tens[Math.floor(value / 10) - 2];
  return [ten, unit].filter((word) => word !== undefined).join('-');
};

const values: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 200 }, (_, value) => [bare(inWords(value)), String(value)]),
);

function bare(text: string): string {
  return text.replaceAll(/[\s-]+|\band\b/g, '');
}

/**
 * Normalizes the ways to write a number: `11`, `" 11 "`, `Eleven`, `twenty one`, `+11`, `11.`. Any other text is
 * trimmed and folded.
 */
export const plainAnswer = (answer: string | number): string => {
  const folded = String(answer)
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '')
    .trim();
  if (/^\+?\d{1,6}$/.test(folded)) return String(Number(folded));
  return values.get(bare(folded.replace(/^a hundred/, 'one hundred'))) ?? folded;
};

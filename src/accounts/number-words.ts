import { type SupportedLanguage, supportedLanguages } from '../kernel/languages.ts';

type Spelling = (value: number) => string;

/**
 * `small`: the words from 0 on, for as far as they are not composed. `tens`: the multiples of ten after them. `compose` is
 * given a ten and a unit above 0.
 */
const spelling = (
  small: string,
  tens: string,
  compose: (ten: string, unit: string) => string,
): Spelling => {
  const words = small.split(/\s+/);
  const ofTens = tens.split(/\s+/);
  return (value) => {
    const word = words[value];
    if (word !== undefined) return word;
    const ten = ofTens[Math.floor(value / 10) - Math.ceil(words.length / 10)] ?? '';
    return value % 10 === 0 ? ten : compose(ten, words[value % 10] ?? '');
  };
};

const frenchBelow70 = spelling(
  `zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit
  dix-neuf`,
  'vingt trente quarante cinquante soixante',
  (ten, unit) => (unit === 'un' ? `${ten} et un` : `${ten}-${unit}`),
);

const chinese = spelling(
  '零 一 二 三 四 五 六 七 八 九',
  '十 二十 三十 四十 五十 六十 七十 八十 九十',
  (ten, unit) => `${ten}${unit}`,
);

const spellings: Readonly<Record<SupportedLanguage, Spelling>> = {
  en: spelling(
    `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen`,
    'twenty thirty forty fifty sixty seventy eighty ninety',
    (ten, unit) => `${ten}-${unit}`,
  ),
  es: spelling(
    `cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete
    dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho
    veintinueve`,
    'treinta cuarenta cincuenta sesenta setenta ochenta noventa',
    (ten, unit) => `${ten} y ${unit}`,
  ),
  de: spelling(
    `null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn
    achtzehn neunzehn`,
    'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
    (ten, unit) => `${unit === 'eins' ? 'ein' : unit}und${ten}`,
  ),
  fr: (value) => {
    if (value < 70) return frenchBelow70(value);
    if (value === 71) return 'soixante et onze';
    if (value < 80) return `soixante-${frenchBelow70(value - 60)}`;
    return value === 80 ? 'quatre-vingts' : `quatre-vingt-${frenchBelow70(value - 80)}`;
  },
  it: spelling(
    `zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
    diciassette diciotto diciannove`,
    'venti trenta quaranta cinquanta sessanta settanta ottanta novanta',
    (ten, unit) => `${/^[ou]/.test(unit) ? ten.slice(0, -1) : ten}${unit === 'tre' ? 'tré' : unit}`,
  ),
  pt: spelling(
    `zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito
    dezenove`,
    'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
    (ten, unit) => `${ten} e ${unit}`,
  ),
  ro: spelling(
    `zero unu doi trei patru cinci șase șapte opt nouă zece unsprezece doisprezece treisprezece paisprezece
    cincisprezece șaisprezece șaptesprezece optsprezece nouăsprezece`,
    'douăzeci treizeci patruzeci cincizeci șaizeci șaptezeci optzeci nouăzeci',
    (ten, unit) => `${ten} și ${unit}`,
  ),
  ja: chinese,
  zh: chinese,
  ko: spelling(
    '영 일 이 삼 사 오 육 칠 팔 구',
    '십 이십 삼십 사십 오십 육십 칠십 팔십 구십',
    (ten, unit) => `${ten}${unit}`,
  ),
};

/** 0 to 99 in words; throws a `RangeError` outside of that. */
export const inWords = (value: number, language: SupportedLanguage): string => {
  if (!Number.isInteger(value) || value < 0 || value > 99) {
    throw new RangeError(`${value} has no words here`);
  }
  return spellings[language](value);
};

/** Without what people leave out or write in another way: accents, hyphens and spaces. */
const bare = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\s-]+/gu, '')
    .replaceAll('ß', 'ss');

const values: ReadonlyMap<string, string> = new Map(
  supportedLanguages.flatMap((language) =>
    Array.from({ length: 100 }, (_, value) => [bare(inWords(value, language)), String(value)]),
  ),
);

/**
 * Normalizes the ways to write a number: `11`, `" 11 "`, `１１`, `Eleven`, `elf`, `十一`, `+11`, `11.`. Any other text is
 * trimmed and folded.
 */
export const plainAnswer = (answer: string | number): string => {
  const folded = String(answer)
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/[.!。]+$/, '')
    .trim();
  if (/^\+?\d{1,6}$/.test(folded)) return String(Number(folded));
  return values.get(bare(folded)) ?? folded;
};

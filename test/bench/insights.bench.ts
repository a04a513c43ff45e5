import { extractAnswer } from '#src/insights/extractive/ask.ts';
import { chapterPassages, extract as chaptersExtract } from '#src/insights/extractive/chapters.ts';
import { readDocument } from '#src/insights/extractive/document.ts';
import { extractInWorker } from '#src/insights/extractive/extract-thread-pool.ts';
import { extractQuotes } from '#src/insights/extractive/quotes.ts';
import { extract as searchExtract } from '#src/insights/extractive/search.ts';
import { extract as summarizeExtract } from '#src/insights/extractive/summarize.ts';
import type { Source } from '#src/insights/source.ts';
import { hitRates, holds, ourHits, plainHits, type SearchQuestion } from './insights-search.ts';
import { median, type Row, rounded } from './row.ts';
import {
  captioned,
  declarationOf,
  lectureLanguages,
  lecturesOf,
  type Section,
  seeded,
  type TalkLanguage,
  talkLanguages,
  talkOf,
  withTypingErrors,
} from './talks.ts';

export const name = 'insights';

/** Quality of the operations without a model, on the talks in ten languages, and their speed. */
export const run = async (): Promise<readonly Row[]> => [
  ...searchRows(),
  ...askRows(),
  ...chapterRows(),
  verbatimRow(),
  ...(await speedRows()),
];

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const leastFive: Readonly<Record<TalkLanguage, number>> = {
  ...{ en: 0.93, zh: 0.93, ja: 0.93, es: 0.9, de: 0.9, ro: 0.9, pt: 0.9, it: 0.85, ko: 0.85 },
  fr: 0.85,
};

const textsOf = (sections: readonly { readonly text: string }[]) => sections.map(({ text }) => text);

/** Questions about the talk, in a video that holds the talk after the declaration. */
const askedIn = (language: TalkLanguage): SearchQuestion[] => {
  const source = captioned(textsOf([...declarationOf(language), ...talkOf(language)]), language);
  return talkOf(language)
    .flatMap(({ questions }) => questions)
    .map((question) => ({ source, ...question }));
};

const searchRows = (): Row[] => {
  const random = seeded(7);
  const measured = talkLanguages.map((language) => {
    const asked = askedIn(language);
    const wrong = asked.map((each) => ({ ...each, question: withTypingErrors(each.question, random) }));
    return {
      language,
      ours: hitRates(asked, ourHits),
      plain: hitRates(asked, plainHits),
      wrong: hitRates(wrong, ourHits),
    };
  });
  const gain = mean(measured.map(({ ours, plain }) => ours.first - plain.first));
  const lost = mean(measured.map(({ ours, wrong }) => ours.five - wrong.five));
  return [
    ...measured.map(({ language, ours, plain }) => ({
      case: `search ${language}: answer within the first five hits; baseline BM25 over six captions`,
      value: rounded(ours.five),
      unit: 'share',
      baseline: rounded(plain.five),
      goal: leastFive[language],
    })),
    ...measured.map(({ language, ours, plain }) => ({
      case: `search ${language}: answer in the first hit; baseline BM25 over six captions`,
      value: rounded(ours.first),
      unit: 'share',
      baseline: rounded(plain.first),
    })),
    {
      case: 'search: answer in the first hit, above the baseline, mean of ten languages',
      value: rounded(gain),
      unit: 'share',
      goal: 0.03,
    },
    {
      case: 'search: lost of the first five by two typing errors, mean of ten languages',
      value: rounded(lost),
      unit: 'share',
      goal: 0.05,
      goalKind: 'at most',
    },
  ];
};

const askRows = (): Row[] => {
  const measured = talkLanguages.map((language) => {
    const talk = captioned(textsOf(talkOf(language)), language);
    const asked = talkOf(language).flatMap(({ questions }) => questions);
    const right = asked.filter(({ question, answer }) =>
      extractAnswer(talk, { question }).citations.some(({ text }) => holds(text, answer)),
    );
    const declaration = captioned(textsOf(declarationOf(language)), language);
    const refused = asked.filter(({ question }) => !extractAnswer(declaration, { question }).grounded);
    return { right: right.length / asked.length, refused: refused.length / asked.length };
  });
  return [
    {
      case: 'ask: answerable questions with the right passage cited, mean of ten languages',
      value: rounded(mean(measured.map(({ right }) => right))),
      unit: 'share',
      goal: 0.75,
    },
    {
      case: 'ask: questions about other topics refused, mean of ten languages',
      value: rounded(mean(measured.map(({ refused }) => refused))),
      unit: 'share',
      goal: 0.9,
    },
  ];
};

/** Pk (Beeferman): the rate at which two captions half a mean segment apart are wrongly put in one segment or in two. */
const pk = (found: readonly number[], right: readonly number[], size: number): number => {
  const half = Math.max(1, Math.round(size / (right.length + 1) / 2));
  const isApart = (cuts: readonly number[], from: number) => cuts.some((cut) => cut > from && cut <= from + half);
  let wrong = 0;
  for (let from = 0; from + half < size; from += 1) {
    if (isApart(found, from) !== isApart(right, from)) wrong += 1;
  }
  return wrong / Math.max(1, size - half);
};

/** Ten topics in random order with three or more sentences each, as in Choi's test. */
const mixed = (sections: readonly Section[], language: TalkLanguage, random: (below: number) => number) => {
  const left = [...sections];
  const between = language === 'ja' || language === 'zh' ? '' : ' ';
  const texts = Array.from({ length: 10 }, () => {
    const [section] = left.splice(random(left.length), 1);
    const sentences = section?.text.split(/(?<=[.!?]) |(?<=[。！？])/u) ?? [];
    return sentences.slice(0, 3 + random(sentences.length - 2)).join(between);
  });
  const lengths = texts.map((text) => captioned([text], language).segments.length);
  const cuts = lengths.slice(0, -1).map((_, at) => lengths.slice(0, at + 1).reduce((sum, length) => sum + length, 0));
  return { source: captioned(texts, language), cuts };
};

/** Mean Pk over twenty mixtures, and that of as many evenly spaced cuts. */
const meanPk = (sections: readonly Section[], language: TalkLanguage) => {
  const random = seeded(11);
  const rounds = Array.from({ length: 20 }, () => {
    const { source, cuts } = mixed(sections, language, random);
    const size = source.segments.length;
    const parts = chapterPassages(readDocument(source));
    const found = parts.slice(1).map(({ firstLine }) => firstLine);
    const even = found.map((_, at) => Math.round(((at + 1) * size) / (found.length + 1)));
    return { ours: pk(found, cuts, size), even: pk(even, cuts, size) };
  });
  return { ours: mean(rounds.map(({ ours }) => ours)), even: mean(rounds.map(({ even }) => even)) };
};

const chapterRows = (): Row[] => {
  const spoken = lectureLanguages.map((language) => meanPk(lecturesOf(language), language));
  const dense = talkLanguages.map((language) => meanPk(talkOf(language), language));
  const row = (what: string, measured: readonly { ours: number; even: number }[]): Row => ({
    case: `chapters: Pk of ten mixed topics, ${what}; baseline as many even cuts`,
    value: rounded(mean(measured.map(({ ours }) => ours))),
    unit: 'Pk',
    baseline: rounded(mean(measured.map(({ even }) => even))),
  });
  return [
    ...spoken.map((each, at) => row(`lectures, ${lectureLanguages[at]}`, [each])),
    { ...row('lectures, mean of three languages', spoken), goal: 0.17, goalKind: 'at most' },
    row('texts that hardly repeat a word, mean of ten languages', dense),
  ];
};

const plain = (text: string): string => text.replace(/\s+/gu, ' ').trim();

const isVerbatim = ({ segments }: Source, start: number, text: string): boolean =>
  plain(
    segments
      .filter((each) => each.start >= start)
      .map((each) => each.text)
      .join(' '),
  ).includes(text);

const verbatimRow = (): Row => {
  const shares = talkLanguages.flatMap((language) =>
    [false, true].flatMap((isAutomatic) => {
      const talk = captioned(textsOf(talkOf(language)), language, { isAutomatic });
      const asked = talkOf(language).flatMap(({ questions }) => questions);
      const cited = asked.flatMap(({ question }) => extractAnswer(talk, { question }).citations);
      return [...cited, ...extractQuotes(talk)].map(({ start, text }) => (isVerbatim(talk, start, text) ? 1 : 0));
    }),
  );
  return {
    case: 'citations and quotes that are verbatim, captions with and without punctuation',
    value: rounded(mean(shares)),
    unit: 'share',
    goal: 1,
  };
};

/** Three hours of speech from texts in languages of Latin script, so that the vocabulary is as large as that of a long talk. */
const threeHours = (turn: number): Source => {
  const random = seeded(turn);
  const pool = talkLanguages
    .slice(0, 7)
    .flatMap((language) => textsOf([...talkOf(language), ...declarationOf(language)]));
  const texts: string[] = [];
  for (let length = 0; length < 165_000; length += texts.at(-1)?.length ?? 0) {
    texts.push(pool[random(pool.length)] ?? '');
  }
  return captioned(texts, 'en');
};

/** The longest event loop delay while a function runs. */
const longestBlock = async (work: () => Promise<unknown>): Promise<number> => {
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 5);
    last = now;
  }, 5);
  last = performance.now();
  await work();
  clearInterval(timer);
  return longest;
};

const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

const speedRows = async (): Promise<Row[]> => {
  await using extracts = extractInWorker();
  const { signal } = new AbortController();
  const extract = extracts.extractFor({ caller: 'bench', signal });
  const query = { query: 'why did the volcno darken the sun over europe', limit: 10 };
  const [cold, chapters, summaries, warm, blocks]: number[][] = [[], [], [], [], []];
  // The first transcript warms up the JIT compiler.
  for (let turn = 0; turn < 6; turn += 1) {
    const source = threeHours(turn + 1);
    const other = threeHours(turn + 101);
    const times = { cold: 0, chapters: 0, summary: 0, warm: 0, block: 0 };
    times.block = await longestBlock(async () => {
      times.cold = await elapsed(() => extract(searchExtract, source, query));
      times.chapters = await elapsed(() => extract(chaptersExtract, source));
      times.summary = await elapsed(() => extract(summarizeExtract, other, { length: 'detailed' }));
      times.warm = await elapsed(() => extract(searchExtract, source, query));
    });
    if (turn === 0) continue;
    cold?.push(times.cold);
    chapters?.push(times.chapters);
    summaries?.push(times.summary);
    warm?.push(times.warm);
    blocks?.push(times.block);
  }
  const row = (what: string, values: number[] | undefined, goal?: number): Row => ({
    case: `three hours of captions in the thread: ${what}`,
    value: rounded(median(values ?? [])),
    unit: 'ms',
    ...(goal === undefined ? {} : { goal, goalKind: 'at most' }),
  });
  return [
    row('search, transcript read before', warm, 20),
    row('search, transcript new', cold),
    row('chapters, transcript read before', chapters, 500),
    row('detailed summary, transcript new', summaries, 500),
    row('longest block of the event loop', blocks, 50),
  ];
};

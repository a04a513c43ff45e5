import { extract, type PassageIndex } from '#src/insights/extractive/passage-index.ts';
import { searchTranscript } from '#src/insights/extractive/search.ts';
import { sourceOf } from '#src/insights/source.ts';
import { extractionOf, openTestLibrary } from '#test/support/library.ts';
import { hitRates, holds } from './insights-search.ts';
import { copyLibrary } from './library-copies.ts';
import { processorTime } from './processor-time.ts';
import { type Row, rounded } from './row.ts';
import { captioned, declarationOf, seeded, talkLanguages, talkOf } from './talks.ts';

export const name = 'library';

/** Videos beside the talks; `LIBRARY_VIDEOS` gives another number. */
const videos = Number(process.env['LIBRARY_VIDEOS'] ?? 1_000);
/** With `LIBRARY_COPIES`, another library with so many copies of each video is searched, and some videos are added to it. */
const copies = Number(process.env['LIBRARY_COPIES'] ?? 0);
const addedToCopies = 64;
const linesOfVideo = 400;
const callers = 10;
const searches = 300;

const syllables = 'ba ce di fo gu ha ke li mo nu pa re si to vu wa xe yi zo qua'.split(' ');
const common = 'the of and to in a is that it was for on are with as they be at this have from or had by'.split(' ');

/** A word whose rank is distributed as in speech: a few are frequent, most are rare. */
const wordAt = (rank: number): string => {
  let [word, left] = ['', rank + 20];
  for (; left > 0; left = Math.floor(left / syllables.length)) word += syllables[left % syllables.length];
  return word;
};

const videoOf = (random: (below: number) => number, at: number) => {
  const word = (): string => {
    if (random(100) < 45) return common[random(common.length)] ?? '';
    return wordAt(Math.floor(60_000 ** (random(1_000_000) / 1_000_000)));
  };
  const segments = Array.from({ length: linesOfVideo }, (_, line) => ({
    text: Array.from({ length: 8 }, word).join(' '),
    start: 3 * line,
    duration: 3,
  }));
  return extractionOf({ videoId: `v${String(at).padStart(10, '0')}`, language: 'en', segments });
};

const percentile = (sorted: readonly number[], share: number): number =>
  sorted.toSorted((a, b) => a - b)[Math.floor(share * (sorted.length - 1))] ?? 0;

/** One library with many videos beside the talks of the bench `insights`: speed, size, and what its search finds. */
export const run = async (): Promise<readonly Row[]> => {
  await using library = await openTestLibrary({ quota: 1_000_000 });
  const random = seeded(11);
  let [adding, merging]: [number[], number[]] = [[], []];
  const add = async (accountId: string, at: number): Promise<PassageIndex | null> => {
    const video = videoOf(random, at);
    const started = performance.now();
    await library.keep(accountId, video);
    adding.push(performance.now() - started);
    // A worker does so beside it.
    const begun = performance.now();
    await library.merge();
    merging.push(performance.now() - begun);
    return copies === 0 ? null : extract.run(sourceOf(video));
  };
  const indexes: PassageIndex[] = [];
  for (let at = 0; at < videos; at += 1) indexes.push(...[(await add('acc_1', at)) ?? []].flat());
  const searched = copies === 0 ? 'acc_1' : 'acc_2';
  if (copies > 0) {
    await copyLibrary(library.pool, { from: 'acc_1', to: searched, copies, indexes });
    [adding, merging] = [[], []];
    for (let at = 0; at < addedToCopies; at += 1) await add(searched, videos + at);
  }
  const asked = talkLanguages.flatMap((language) => {
    const source = {
      ...captioned(
        [...declarationOf(language), ...talkOf(language)].map(({ text }) => text),
        language,
      ),
      videoId: `talk00000${language}`,
    };
    return talkOf(language).flatMap(({ questions }) => questions.map((question) => ({ source, ...question })));
  });
  for (const source of new Set(asked.map((each) => each.source))) await library.keep('acc_1', extractionOf(source));

  const one = hitRates(asked, ({ source, question }) =>
    searchTranscript(source, { query: question, limit: 1 }).map(({ text }) => text),
  );
  let found = 0;
  for (const { question, answer } of asked) {
    const [first] = await library.find('acc_1', question, { limit: 1 });
    if (first !== undefined && holds(first.candidate.text, answer)) found += 1;
  }

  const queries = Array.from({ length: searches }, () =>
    Array.from({ length: 3 }, () => wordAt(Math.floor(60_000 ** (random(1_000_000) / 1_000_000)))).join(' '),
  );
  const times: number[] = [];
  const left = queries.values();
  const ask = async (): Promise<void> => {
    for (const query of left) {
      const started = performance.now();
      await library.find(searched, query);
      times.push(performance.now() - started);
    }
  };
  const client = await library.pool.connect();
  const before = await processorTime(client, process.pid);
  await Promise.all(Array.from({ length: callers }, ask));
  const after = await processorTime(client, process.pid);
  client.release();
  await library.pool.query('VACUUM ANALYZE');
  const { rows } = await library.pool.query<{ text: string; index: string }>(sizes);
  const ratio = Number(rows[0]?.index) / Number(rows[0]?.text);
  const about = `${videos * Math.max(1, copies) + (copies > 0 ? addedToCopies : 0)} videos of ${linesOfVideo} lines`;
  return [
    {
      case: `search of ${about}, ${callers} callers, p95`,
      value: rounded(percentile(times, 0.95)),
      unit: 'ms',
      goal: 80,
      goalKind: 'at most',
    },
    { case: `search of ${about}, ${callers} callers, p50`, value: rounded(percentile(times, 0.5)), unit: 'ms' },
    ...(['processMs', 'databaseMs'] as const).map((of) => ({
      case: `CPU time of a search, ${of === 'processMs' ? 'process' : 'database'}`,
      value: rounded((after[of] - before[of]) / searches),
      unit: 'ms',
    })),
    {
      case: 'adding a video, p95',
      value: rounded(percentile(adding, 0.95)),
      unit: 'ms',
      goal: 30,
      goalKind: 'at most',
    },
    { case: 'adding a video, p50', value: rounded(percentile(adding, 0.5)), unit: 'ms' },
    {
      case: 'merging runs afterwards, for each video',
      value: rounded(merging.reduce((sum, ms) => sum + ms, 0) / merging.length),
      unit: 'ms',
    },
    { case: 'index, as a share of the text', value: rounded(ratio), unit: '', goal: 1.5, goalKind: 'at most' },
    {
      case: 'first hit holds the answer, ten languages; search over the one video',
      value: rounded(found / asked.length),
      unit: 'share',
      baseline: rounded(one.first),
      goal: rounded(one.first - 0.03),
    },
  ];
};

/** The postings and the vocabulary with their indexes, and of each text the places of its passages and its terms; against the texts in UTF-8. */
const sizes = `
SELECT (SELECT sum(octet_length(captions)) FROM library_versions)::text AS text,
  (pg_total_relation_size('library_postings') + pg_total_relation_size('library_terms')
    + pg_total_relation_size('library_runs') + pg_total_relation_size('library_tails')
    + (SELECT sum(pg_column_size(passages) + coalesce(pg_column_size(terms), 0)) FROM library_versions))::text
    AS index`;

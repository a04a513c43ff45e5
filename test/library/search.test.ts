import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { postgresLibraryStore } from '#src/adapters/postgres/library-store-postgres.ts';
import { searchTranscript } from '#src/insights/extractive/search.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { decodeBlock } from '#src/library/posting-blocks.ts';
import { eachPosting } from '#src/library/postings.ts';
import { captioned, declarationOf, talkOf } from '#test/bench/talks.ts';
import { captionsOf, extractionOf, openTestLibrary, type TestLibrary } from '#test/support/library.ts';

const languages = ['en', 'ja'] as const;
const sourceOf = (language: (typeof languages)[number]) => ({
  ...captioned(
    [...declarationOf(language), ...talkOf(language)].map(({ text }) => text),
    language,
  ),
  videoId: `talk00000${language}`,
});

describe('a search over a library', () => {
  let library: TestLibrary;
  const ofLamps = async (query: string, options: Parameters<TestLibrary['find']>[2] = {}) =>
    (await library.find('acc_4', query, options)).map(({ candidate }) => candidate.videoId);
  const texts = async (query: string, options: Parameters<TestLibrary['find']>[2] = {}) =>
    (await library.find('acc_1', query, options)).map(({ candidate }) => candidate.text);
  const videos = async (query: string, options: Parameters<TestLibrary['find']>[2] = {}) =>
    (await library.find('acc_1', query, options)).map(({ candidate }) => candidate.videoId);

  before(async () => {
    library = await openTestLibrary();
    for (const language of languages) await library.keep('acc_1', extractionOf(sourceOf(language)));
    const lamp = captionsOf('lamp0000001', ['The keeper lit the lamp 😀 at dusk.', 'Whale oil was its first fuel.']);
    await library.keep('acc_1', lamp);
    await library.keep('acc_4', lamp);
    await library.keep(
      'acc_4',
      captionsOf('lamp0000002', ['A lamp of brass, dusk after dusk.', 'No oil in it at all.']),
    );
    await library.keep('acc_2', captionsOf('secret00001', ['The zeppelin of another account.']));
  });
  after(() => library[Symbol.asyncDispose]());

  it('finds the same passages as a search of the single video', async () => {
    let [same, asked] = [0, 0];
    for (const language of languages) {
      const source = sourceOf(language);
      for (const { question } of talkOf(language).flatMap(({ questions }) => questions.slice(0, 1))) {
        const [one] = searchTranscript(source, { query: question, limit: 1 });
        const [found] = await texts(question, { limit: 1 });
        asked += 1;
        if (one?.text === found) same += 1;
      }
    }
    assert.ok(same >= 0.9 * asked, `${same} of ${asked} first hits are the same`);
  });

  it('searches in the language of the query even if another language has one of its words', async () => {
    const known = [
      ['en', 'The computer was the machine that defeated the champion.', 'Which machine defeated the champion?'],
      ['fr', 'La machine à vapeur a changé la mine.', 'Quelle machine a changé la mine ?'],
    ] as const;
    for (const [language, line] of known) {
      await library.keep('acc_5', captionsOf(`machine00${language}`, [line, 'Kasparov.'], language));
    }
    for (const [language, , question] of known) {
      const [first] = await library.find('acc_5', question, { limit: 1 });
      assert.equal(first?.candidate.language, language, question);
    }
  });

  it('returns each passage verbatim with its time, whatever characters precede it', async () => {
    const [first] = await library.find('acc_1', 'whale fuel', { limit: 1 });
    assert.equal(first?.candidate.videoId, 'lamp0000001');
    assert.equal(first?.candidate.text, 'The keeper lit the lamp 😀 at dusk. Whale oil was its first fuel.');
    assert.deepEqual([first?.candidate.start, first?.candidate.end], [0, 10]);
  });

  it('corrects typos against the words of the library', async () => {
    assert.equal((await videos('wahle fuel'))[0], 'lamp0000001');
    assert.deepEqual(await videos('zeplin'), []);
  });

  it('finds phrases word by word and leaves out what is excluded', async () => {
    assert.deepEqual(await ofLamps('"dusk after dusk"'), ['lamp0000002']);
    assert.deepEqual(await ofLamps('lamp -whale'), ['lamp0000002']);
    assert.deepEqual(await ofLamps('lamp -"of brass"'), ['lamp0000001']);
    assert.deepEqual(await ofLamps('"lamp dusk"'), []);
  });

  it('searches only the library of its account', async () => {
    assert.deepEqual(await videos('zeppelin'), []);
    assert.equal((await library.find('acc_2', 'zeppelin'))[0]?.candidate.videoId, 'secret00001');
    assert.deepEqual(await library.find('acc_3', 'zeppelin'), []);
  });

  it('can be restricted to a language, a channel and a time', async () => {
    assert.deepEqual(await ofLamps('lamp', { language: 'de' }), []);
    assert.deepEqual(await ofLamps('dusk', { channel: 'a CHANNEL' }), ['lamp0000002', 'lamp0000001']);
    assert.deepEqual(await ofLamps('dusk', { channel: 'UCanother' }), []);
    assert.deepEqual(await ofLamps('dusk', { from: '2027-01-01T00:00:00Z' }), []);
    assert.deepEqual(await ofLamps('dusk', { to: '2027-01-01T00:00:00Z' }), ['lamp0000002', 'lamp0000001']);
  });

  it('refuses a query of function words only, and accepts one of five hundred words', async () => {
    for (const nothing of ['the and of it', '-lamp', '""', '🙂']) {
      await assert.rejects(library.find('acc_1', nothing), (error) => {
        assert.ok(error instanceof Refusal);
        return (
          error.code === 'INVALID_REQUEST' && error.message.includes('no words to search for, or only common words')
        );
      });
    }
    const many = Array.from({ length: 499 }, (_, at) => `word${at}`).join(' ');
    assert.equal((await videos(`whale ${many}`))[0], 'lamp0000001');
  });

  it('treats hostile queries as words', async () => {
    for (const query of ['__proto__ constructor', "'; DROP TABLE libraries; --", '"', '-', '%_\\', '\u202e\u0007']) {
      await library.find('acc_1', query).catch((error: unknown) => assert.ok(error instanceof Refusal, String(error)));
    }
  });
});

describe('a search over a library by meaning', () => {
  it('falls back to words if the provider hangs, ignores vectors of another width, and survives a removal', async () => {
    let answer: 'none' | readonly number[] = 'none';
    let during = async (): Promise<void> => {};
    await using library = await openTestLibrary({
      embed: async (texts, { timeoutMs }) => {
        assert.ok(timeoutMs <= 5_000, 'the wait for a provider is bounded');
        if (answer === 'none') return null;
        if (texts.length > 1) await during();
        const vector = answer;
        return { model: 'same-name', vectors: texts.map(() => vector) };
      },
    });
    const ids = ['meaning0001', 'meaning0002'];
    for (const id of ids) await library.keep('acc_1', captionsOf(id, ['A lantern in the harbour.', `Of ${id}.`]));
    const found = async () => (await library.find('acc_1', 'lantern')).map(({ candidate }) => candidate.videoId);
    const widths = async () => {
      const { rows } = await library.pool.query('SELECT cardinality(vector) AS width FROM library_vectors');
      return rows.map(({ width }) => width);
    };
    assert.equal((await found()).length, 2);
    for (const vector of [
      [1, 0, 0],
      [0, 1],
    ]) {
      answer = vector;
      assert.equal((await found()).length, 2);
      assert.deepEqual(await widths(), [vector.length, vector.length]);
    }
    answer = [1, 2, 3, 4];
    during = () => library.remove('acc_1', 'meaning0002');
    assert.equal((await found()).length, 2);
    assert.deepEqual(await widths(), [4], 'nothing of the removed video is left');
    assert.deepEqual(await found(), ['meaning0001']);
  });
});

const die = `
CREATE OR REPLACE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'died'; END $$;`;

/** A vocabulary of another library that is larger than what a scan would read. */
const manyTerms = `
INSERT INTO library_terms (library_id, term, grams)
SELECT 1, 'en word' || at || 'x', ARRAY[at, -at, 7 * at] FROM generate_series(1, 5000) AS at`;

describe('the index of a library', () => {
  const idOf = (at: number) => `video${String(at).padStart(6, '0')}`;
  const linesOf = (at: number) => [
    `Here stands the number word${at} beside common words.`,
    `And another line with lantern${at % 3}.`,
  ];
  /** More than three times three times three, so that runs of all levels are made. */
  const count = 32;
  const fill = async (library: TestLibrary): Promise<void> => {
    for (let at = 0; at < count; at += 1) await library.keep('acc_1', captionsOf(idOf(at), linesOf(at)));
  };
  const foundFor = async (library: TestLibrary, query: string, filter: { language?: string } = {}) =>
    (await library.find('acc_1', query, { limit: 50, ...filter })).map(({ candidate, score }) => [
      candidate.videoId,
      score,
    ]);
  const rowsOf = async ({ pool }: TestLibrary, query: string) => (await pool.query(query)).rows;
  const runs = (library: TestLibrary) =>
    rowsOf(library, 'SELECT level, merged_into FROM library_runs ORDER BY level DESC, start');

  it('finds the same before and after texts are merged, replaced and removed', async () => {
    await using library = await openTestLibrary({ shape: { fanOut: 3, headSize: 4, partSize: 3 } });
    const found = async (query: string) => (await foundFor(library, query)).map(([videoId]) => videoId);
    for (let at = 0; at < count; at += 1) {
      await library.keep('acc_1', captionsOf(idOf(at), linesOf(at)));
      await library.merge();
    }
    assert.deepEqual(
      (await runs(library)).map(({ level }) => level),
      [3, 1, 0, 0],
    );
    for (const at of [0, 2, 3, 20, 27, 30, 31]) assert.equal((await found(`word${at}`))[0], idOf(at));
    assert.notDeepEqual(await rowsOf(library, 'SELECT FROM library_tails'), []);
    // Every passage holds the word; what no head holds, a filter and an exclusion read too.
    assert.ok((await found('common')).length < count);
    for (const query of ['common', 'lantern1']) {
      assert.equal(new Set((await foundFor(library, query, { language: 'en' })).map(([id]) => id)).size, count);
    }
    assert.deepEqual(await found('lantern -common'), []);

    await library.keep('acc_1', captionsOf(idOf(7), ['Now it says something about zebras.']));
    assert.deepEqual(await found('zebra'), [idOf(7)]);
    assert.ok(!(await found('word7')).includes(idOf(7)));

    await library.remove('acc_1', idOf(20));
    await library.remove('acc_1', idOf(31));
    assert.ok(!(await found('word20')).includes(idOf(20)));
    assert.ok(!(await found('word31')).includes(idOf(31)));
    const left =
      "SELECT (SELECT count(*) FROM library_terms WHERE term LIKE '%word20') AS terms, (SELECT videos FROM libraries) AS videos";
    assert.deepEqual(await rowsOf(library, left), [{ terms: '0', videos: count - 2 }]);
  });

  it('finds the same while runs are merged, some postings at a time, whenever a process ends', async () => {
    const shape = { fanOut: 3, headSize: 4, partSize: 3, blocksAtOnce: 4, mergedAtOnce: 5 };
    await using library = await openTestLibrary({ shape });
    await using unmerged = await openTestLibrary({ shape: { ...shape, fanOut: 100, headSize: 1_000 } });
    await Promise.all([fill(library), fill(unmerged)]);
    const same = async (query: string): Promise<void> =>
      assert.deepEqual(
        await foundFor(library, query, { language: 'en' }),
        await foundFor(unmerged, query, { language: 'en' }),
        query,
      );
    /** A process that ends loses one transaction: the next one goes on from what is stored. */
    const dieOnce = async (libraryId: number, moment: 'BEFORE' | 'AFTER'): Promise<void> => {
      await library.pool.query(`${die} CREATE TRIGGER die ${moment} INSERT ON library_postings EXECUTE FUNCTION die()`);
      await library.store.mergeSome(libraryId).catch((error: unknown) => assert.match(String(error), /died/));
      await library.pool.query('DROP TRIGGER die ON library_postings');
    };
    let [step, removed] = [0, 0];
    for (; ; step += 1) {
      const [libraryId] = await library.store.merging({ limit: 1, except: [] });
      if (libraryId === undefined) break;
      await dieOnce(libraryId, step % 2 === 0 ? 'BEFORE' : 'AFTER');
      await library.store.mergeSome(libraryId);
      for (const query of ['word5', 'common lantern1', `lantern2 word${step % count}`]) await same(query);
      if (step % 25 !== 3) continue;
      const gone = idOf((removed * 7) % count);
      removed += 1;
      await Promise.all([library.remove('acc_1', gone), unmerged.remove('acc_1', gone)]);
      await same('common');
    }
    assert.ok(removed >= 3, `${removed} videos were removed in ${step} steps`);
    assert.ok((await runs(library)).length < 9);
    const held = 'SELECT term FROM library_terms ORDER BY term';
    assert.deepEqual(await rowsOf(library, held), await rowsOf(unmerged, held));
    for (let at = 0; at < count; at += 1) await library.remove('acc_1', idOf(at)).catch(() => {});
    for (const table of ['runs', 'postings', 'tails', 'terms', 'versions']) {
      assert.deepEqual(await rowsOf(library, `SELECT * FROM library_${table}`), [], table);
    }
  });

  it('removes all that it holds of a text, even if the text would be read as other words today', async () => {
    for (const terms of ['stored', 'unknown']) {
      await using library = await openTestLibrary({ shape: { fanOut: 3, headSize: 4, partSize: 3 } });
      await fill(library);
      await library.merge();
      await library.keep('acc_1', captionsOf(idOf(1), ['Now it says something about zebras.']));
      await library.pool.query("UPDATE library_versions SET captions = 'Other words.'");
      if (terms === 'unknown') await library.pool.query('UPDATE library_versions SET terms = NULL');
      const left = idOf(20);
      await library.keep('acc_1', captionsOf(idOf(4), ['Now it says something about zebras.']));
      for (let at = 0; at < count; at += 1) if (idOf(at) !== left) await library.remove('acc_1', idOf(at));
      const blocks = await rowsOf(library, 'SELECT term, block FROM library_postings');
      const held = blocks.flatMap(({ block }) => decodeBlock(block).map(({ term }) => term)).toSorted();
      assert.deepEqual(
        held.filter((term) => /zebra|word(?!20$)\d/.test(term)),
        [],
        terms,
      );
      for (const { term } of blocks) assert.ok(held.includes(term), term);
      const known = await rowsOf(library, 'SELECT term FROM library_terms ORDER BY term');
      assert.deepEqual(
        known.map(({ term }) => term),
        [...new Set(held)],
        terms,
      );
      const range = 'SELECT first_passage AS first, cardinality(passages) / 4 AS size FROM library_versions';
      const [{ first, size }] = await rowsOf(library, range);
      for (const of of await library.store.postings('acc_1', held, held)) {
        eachPosting(of, (passage) => assert.ok(passage >= first && passage < first + size, `${of.term} in ${passage}`));
      }
      assert.deepEqual(
        (await foundFor(library, 'common')).map(([videoId]) => videoId),
        [left],
      );
    }
  });

  it('leaves no word in the index of a library that is cleared, wherever the word comes from', async () => {
    await using library = await openTestLibrary({ shape: { fanOut: 3, headSize: 4, partSize: 3 } });
    for (const accountId of ['acc_1', 'acc_2']) await library.keep(accountId, captionsOf(idOf(1), linesOf(1)));
    for (const table of ['postings', 'terms']) {
      await library.pool.query(`UPDATE library_${table} SET term = 'en zyxomma' WHERE term = (
        SELECT max(term) FROM library_${table} WHERE library_id = 1) AND library_id = 1`);
    }
    const others = 'SELECT library_id, term FROM library_terms WHERE library_id = 2';
    const before = await rowsOf(library, others);
    await library.clear('acc_1');
    for (const table of ['runs', 'postings', 'tails', 'terms', 'versions']) {
      assert.deepEqual(await rowsOf(library, `SELECT * FROM library_${table} WHERE library_id = 1`), [], table);
    }
    assert.deepEqual(await rowsOf(library, others), before);
    await library.keep('acc_1', captionsOf(idOf(2), linesOf(2)));
    assert.deepEqual(
      (await foundFor(library, 'word2')).map(([videoId]) => videoId),
      [idOf(2)],
    );
  });

  it('reads no whole vocabulary for related words, even if the statistics of the database do not know the library', async () => {
    await using library = await openTestLibrary();
    await library.keep('acc_1', captionsOf(idOf(1), linesOf(1)));
    await library.pool.query(manyTerms);
    await library.pool.query('ANALYZE');
    await library.keep('acc_2', captionsOf(idOf(2), linesOf(2)));
    const sent: { readonly text: string; readonly values: unknown[] }[] = [];
    const query = (text: string, values: unknown[]) => {
      sent.push({ text, values });
      return library.pool.query(text, values);
    };
    const pool = new Proxy(library.pool, { get: (own, name) => (name === 'query' ? query : Reflect.get(own, name)) });
    const word = { stems: 'en', word: 'lantrens', term: 'lantren' };
    const found = await postgresLibraryStore({ pool }).resembling('acc_2', [word], []);
    assert.ok(found.includes('en lantern2'), found.join());
    const lookups = sent.filter(({ text }) => text.includes('grams @>'));
    assert.equal(lookups.length, 2);
    for (const { text, values } of lookups) {
      const plan = (await library.pool.query(`EXPLAIN ${text}`, values)).rows
        .map((row) => row['QUERY PLAN'])
        .join('\n');
      assert.match(plan, /library_terms_grams_idx/);
      assert.doesNotMatch(plan, /Filter: \(grams/);
    }
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { searchTranscript } from '#src/insights/extractive/search.ts';
import { Refusal } from '#src/kernel/refusal.ts';
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

  it('finds the passages that a search over the one video finds', async () => {
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

  it('answers in the language of the query where another language has a word of it', async () => {
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

  it('gives each passage verbatim with its time, whatever characters stand before it', async () => {
    const [first] = await library.find('acc_1', 'whale fuel', { limit: 1 });
    assert.equal(first?.candidate.videoId, 'lamp0000001');
    assert.equal(first?.candidate.text, 'The keeper lit the lamp 😀 at dusk. Whale oil was its first fuel.');
    assert.deepEqual([first?.candidate.start, first?.candidate.end], [0, 10]);
  });

  it('corrects typing errors against what the library says', async () => {
    assert.equal((await videos('wahle fuel'))[0], 'lamp0000001');
    assert.deepEqual(await videos('zeplin'), []);
  });

  it('finds phrases word by word and leaves out what is excluded', async () => {
    assert.deepEqual(await ofLamps('"dusk after dusk"'), ['lamp0000002']);
    assert.deepEqual(await ofLamps('lamp -whale'), ['lamp0000002']);
    assert.deepEqual(await ofLamps('lamp -"of brass"'), ['lamp0000001']);
    assert.deepEqual(await ofLamps('"lamp dusk"'), []);
  });

  it('sees the library of its account alone', async () => {
    assert.deepEqual(await videos('zeppelin'), []);
    assert.equal((await library.find('acc_2', 'zeppelin'))[0]?.candidate.videoId, 'secret00001');
    assert.deepEqual(await library.find('acc_3', 'zeppelin'), []);
  });

  it('keeps to a language, a channel and a time', async () => {
    assert.deepEqual(await ofLamps('lamp', { language: 'de' }), []);
    assert.deepEqual(await ofLamps('dusk', { channel: 'a CHANNEL' }), ['lamp0000002', 'lamp0000001']);
    assert.deepEqual(await ofLamps('dusk', { channel: 'UCanother' }), []);
    assert.deepEqual(await ofLamps('dusk', { from: '2027-01-01T00:00:00Z' }), []);
    assert.deepEqual(await ofLamps('dusk', { to: '2027-01-01T00:00:00Z' }), ['lamp0000002', 'lamp0000001']);
  });

  it('refuses a query of words of grammar, and reads one of five hundred words', async () => {
    await assert.rejects(library.find('acc_1', 'the and of it'), (error) => {
      assert.ok(error instanceof Refusal);
      return error.code === 'INVALID_REQUEST' && error.message.includes('every text has');
    });
    const many = Array.from({ length: 499 }, (_, at) => `word${at}`).join(' ');
    assert.equal((await videos(`whale ${many}`))[0], 'lamp0000001');
  });

  it('takes hostile queries as words', async () => {
    for (const query of ['__proto__ constructor', "'; DROP TABLE libraries; --", '"', '-', '%_\\', '\u202e\u0007']) {
      await library.find('acc_1', query).catch((error: unknown) => assert.ok(error instanceof Refusal, String(error)));
    }
  });
});

describe('a search over a library by meaning', () => {
  it('finds by words where a provider hangs, ignores vectors of another width, and outlives a removal', async () => {
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

describe('the index of a library', () => {
  it('finds the same before and after texts are merged, replaced and removed', async () => {
    await using library = await openTestLibrary({ fanOut: 3 });
    const idOf = (at: number) => `video${String(at).padStart(6, '0')}`;
    const linesOf = (at: number) => [
      `Here stands the number word${at} beside common words.`,
      `And another line with lantern${at % 3}.`,
    ];
    // More than three times three times three, so that runs of all levels are made.
    const count = 32;
    for (let at = 0; at < count; at += 1) await library.keep('acc_1', captionsOf(idOf(at), linesOf(at)));
    const foundFor = async (query: string) =>
      (await library.find('acc_1', query, { limit: 50 })).map(({ candidate }) => candidate.videoId);
    for (const at of [0, 2, 3, 20, 27, 30, 31]) assert.equal((await foundFor(`word${at}`))[0], idOf(at));
    assert.equal((await foundFor('lantern1')).length, count);

    await library.keep('acc_1', captionsOf(idOf(7), ['Now it says something about zebras.']));
    assert.deepEqual(await foundFor('zebra'), [idOf(7)]);
    assert.ok(!(await foundFor('word7')).includes(idOf(7)));

    await library.remove('acc_1', idOf(20));
    await library.remove('acc_1', idOf(31));
    assert.ok(!(await foundFor('word20')).includes(idOf(20)));
    assert.ok(!(await foundFor('word31')).includes(idOf(31)));
    const { rows } = await library.pool.query(
      "SELECT (SELECT count(*) FROM library_terms WHERE term LIKE '%word20') AS terms, (SELECT videos FROM libraries) AS videos",
    );
    assert.deepEqual(rows, [{ terms: '0', videos: count - 2 }]);
  });
});

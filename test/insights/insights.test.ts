import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { languageName } from '#src/contract/language-names.ts';
import { ask } from '#src/insights/ask.ts';
import { askingOf } from '#src/insights/ask-model.ts';
import { numbered, promptVersion } from '#src/insights/captions-prompt.ts';
import { chapters, chaptersOf } from '#src/insights/chapters.ts';
import { circuitBreaker } from '#src/insights/circuit-breaker.ts';
import { extractFor } from '#src/insights/extractive/extract-thread-pool.ts';
import { type Completion, type Model, ModelFailure, type Prompt } from '#src/insights/model.ts';
import { fromKept, toKept } from '#src/insights/model-cache.ts';
import { jsonIn, plainLine, withoutLinks } from '#src/insights/model-text.ts';
import type { Source } from '#src/insights/source.ts';
import { summarize } from '#src/insights/summarize.ts';
import { translate } from '#src/insights/translate.ts';
import { foreignNames, foreignNumbers, spanOfQuote, textOf } from '#src/insights/verify-quotes.ts';

const sourceOf = (texts: readonly string[], seconds = 4): Source => ({
  videoId: 'lighthouse1',
  title: 'A talk',
  channel: 'A channel',
  durationS: texts.length * seconds,
  language: 'en',
  segments: texts.map((text, n) => ({ text, start: n * seconds, duration: seconds })),
});

const talk = sourceOf([
  'We built the boat in nineteen days,',
  'and it cost us 1,200 dollars.',
  'Nobody in Lisbon believed it would float.',
  'On the third morning the wind turned north.',
  'We sailed for six hours without a word.',
]);

/** A model that answers from a prompt with what the test says. */
const modelOf = (answer: (prompt: Prompt) => unknown): Model & { readonly prompts: Prompt[] } => {
  const prompts: Prompt[] = [];
  return {
    name: 'scripted',
    embeddingName: null,
    prompts,
    async complete(prompt): Promise<Completion> {
      prompts.push(prompt);
      const said = answer(prompt);
      const text = typeof said === 'string' ? said : JSON.stringify(said);
      return { text, inputTokens: prompt.user.length, outputTokens: text.length };
    },
    embed: () => Promise.reject(new ModelFailure('not_configured', 'none')),
  };
};

const never = new AbortController().signal;
const extract = extractFor({ caller: 'a', signal: never });

const asking = (model: Model, chunkTokens = 10_000) => askingOf(model, { signal: never, chunkTokens, extract });

describe('a quote', () => {
  it('is found near its number, whatever its case and punctuation', () => {
    const at = (n: number, quote: string) => spanOfQuote(talk.segments, { n, quote });
    assert.deepEqual(at(1, 'It cost us 1,200 DOLLARS'), { first: 1, last: 1 });
    assert.deepEqual(at(2, 'cost us 1,200 dollars'), { first: 1, last: 1 });
    assert.deepEqual(at(0, 'in nineteen days and it cost us'), { first: 0, last: 1 });
    const oneWordOff = 'nobody in Lisbon believed it would ever float on the third morning the wind turned';
    assert.deepEqual(at(2, oneWordOff), { first: 2, last: 3 });
  });

  it('is not found far away, where it is invented, and where its number is no caption', () => {
    for (const [n, quote] of [
      [4, 'cost us 1,200 dollars'],
      [2, 'everybody believed it would fly'],
      [-1, 'nobody in Lisbon'],
      [99, 'nobody in Lisbon'],
      [1.5, 'nobody in Lisbon'],
      [2, '…'],
    ] as const) {
      assert.equal(spanOfQuote(talk.segments, { n, quote }), null, quote);
    }
  });
});

describe('a text by a model', () => {
  it('is checked for numbers and names that its source does not contain', () => {
    const known = textOf(talk.segments, { first: 0, last: 4 });
    assert.deepEqual(foreignNumbers('It cost 1200 dollars, not 1300.', [known]), ['1300']);
    assert.deepEqual(foreignNames('They sailed from Lisbon to Porto.', known), ['Porto']);
  });

  it('is stripped of links, images and hidden characters', () => {
    const own = 'https://www.youtube.com/watch?v=lighthouse1';
    assert.equal(
      withoutLinks(`![x](https://evil.example/p) [a](https://evil.example) ${own} www.evil.example`, own),
      `x a ${own} `,
    );
    assert.equal(plainLine('a\u202eb\u0007\u200bc\n d'), 'a b c d');
  });

  it('is read from within code fences and after reasoning text', () => {
    for (const text of [
      '{"a": 1}',
      'Sure:\n```json\n{"a": 1}\n```',
      '<think>{"b"</think>{"a": 1}',
      'Here: {"a": 1} Done.',
    ]) {
      assert.deepEqual(jsonIn(text), { a: 1 });
    }
    assert.throws(() => jsonIn('{"a": '), SyntaxError);
  });
});

describe('an operation with a model', () => {
  it('asks once more after an answer in the wrong form, then gives up', async () => {
    const model = modelOf(() => 'no JSON at all');
    await assert.rejects(
      async () => ask.withModel(talk, { question: 'Which boat?' }, asking(model)),
      (error) => error instanceof ModelFailure && error.reason === 'invalid_answer',
    );
    assert.equal(model.prompts.length, 2);
  });

  it('builds citations from the captions', async () => {
    const model = modelOf(() => ({
      answer: 'It cost 1,200 dollars.',
      grounded: true,
      citations: [{ n: 1, quote: 'it cost us 1,200 dollars' }],
    }));
    const answer = await ask.withModel(talk, { question: 'What did it cost?' }, asking(model));
    assert.deepEqual(answer, {
      answer: 'It cost 1,200 dollars.',
      grounded: true,
      citations: [{ start: 4, end: 8, timestamp: '00:04', text: 'and it cost us 1,200 dollars.' }],
    });
  });

  it('says in the language of the answer that no citation supports it', async () => {
    const model = modelOf(() => ({ answer: 'Yes.', grounded: true, citations: [] }));
    const params = { question: 'Did it sink?', output_lang: 'de' };
    assert.deepEqual(await ask.withModel(talk, params, asking(model)), {
      answer: (await ask.withoutModel(talk, { ...params, question: 'Zebra?' }, extract)).answer,
      citations: [],
      grounded: false,
    });
  });

  // S66: a question of a megabyte, a transcript of twelve hours
  it('sends a transcript of twelve hours in bounded parts', async () => {
    const long = sourceOf(
      Array.from({ length: 10_800 }, (_, n) => `Line ${n} of a talk that goes on and on about subject ${n % 40}.`),
    );
    const model = modelOf(({ name, user }) => {
      const first = Number(/^\[(\d+)\]/m.exec(user)?.[1] ?? 0);
      return name === 'notes'
        ? { notes: [{ n: first, note: `Line ${first} of a talk` }] }
        : { summary: 'A talk that goes on and on about subject after subject. '.repeat(6) };
    });
    await summarize.withModel(long, { length: 'short' }, asking(model, 15_000));
    assert.ok(model.prompts.length < 40);
    assert.ok(model.prompts.every(({ user }) => user.length < 80_000));
    await assert.rejects(
      async () => summarize.withModel(long, { length: 'short' }, asking(model, 1_000)),
      (error) => error instanceof ModelFailure && error.reason === 'too_long',
    );
  });

  it('treats a text of less than a third of the requested length as no answer', async () => {
    const long = sourceOf(Array.from({ length: 200 }, () => 'We sailed for six hours without a word.'));
    const saying = (words: number) => modelOf(() => ({ summary: `${'without '.repeat(words - 1)}word.` }));
    const summaryOf = async (words: number) => summarize.withModel(long, { length: 'short' }, asking(saying(words)));
    assert.ok((await summaryOf(20)).summary.endsWith('word.'));
    await assert.rejects(
      () => summaryOf(19),
      (error) => error instanceof ModelFailure && error.reason === 'invalid_answer',
    );
    // What is wanted of a short talk is half of what is said.
    const short = modelOf(() => ({ summary: 'We sailed for six hours without a word.' }));
    assert.equal(
      (await summarize.withModel(talk, { length: 'short' }, asking(short))).summary,
      'We sailed for six hours without a word.',
    );
  });

  it('makes chapters from a single line, and from numbers that are out of order', async () => {
    const one = sourceOf(['Hello.']);
    const model = modelOf(() => ({ chapters: [{ n: 0, title: 'Hello' }] }));
    const { chapters: made } = await chapters.withModel(one, {}, asking(model));
    assert.deepEqual(made, [{ start: 0, timestamp: '00:00', title: 'Hello' }]);
    const named = [
      { n: 3, title: 'North' },
      { n: 3, title: 'Again' },
      { n: 77, title: 'Nowhere' },
      { n: 1, title: 'x'.repeat(100) },
    ];
    assert.deepEqual(
      chaptersOf(talk, named).map(({ start, title }) => [start, title.length]),
      [[0, 60]],
    );
  });

  it('keeps the original of a line whose translation is missing, and counts it', async () => {
    const model = modelOf(({ user }) =>
      Object.fromEntries(
        [...user.slice(user.lastIndexOf('<<<captions')).matchAll(/^\[(\d+)\] (.*)$/gm)].map(([, n = '', text = '']) => [
          n,
          n === '2' ? { begins: '', text: '' } : { begins: text.slice(0, 20), text: `de:${text}` },
        ]),
      ),
    );
    const params = { target_lang: 'de', mode: 'translated' } as const;
    const { segments, message } = await translate.withModel(talk, params, asking(model));
    assert.equal(segments[2]?.text, talk.segments[2]?.text);
    assert.equal(segments[3]?.text, `de:${talk.segments[3]?.text}`);
    assert.match(message, /^1 of 5 lines/);
    assert.equal(model.prompts.length, 2);
    assert.deepEqual(Object.keys(Object(model.prompts[1]?.schema['properties'])), ['2']);
  });
});

describe('the circuit breaker', () => {
  it('opens after five failures in a minute, lets one call try, and closes when that succeeds', () => {
    let now = 0;
    const breaker = circuitBreaker(() => now);
    for (let failure = 0; failure < 5; failure += 1) {
      assert.ok(breaker.tryPass());
      breaker.failed();
    }
    assert.equal(breaker.tryPass(), false);
    now = 60_000;
    assert.equal(breaker.state(), 'half_open');
    assert.deepEqual([breaker.tryPass(), breaker.tryPass()], [true, false]);
    breaker.failed();
    assert.equal(breaker.state(), 'open');
    now = 120_000;
    assert.ok(breaker.tryPass());
    breaker.succeeded();
    assert.deepEqual([breaker.state(), breaker.tryPass()], ['closed', true]);
  });

  it('forgets failures that are a minute old', () => {
    let now = 0;
    const breaker = circuitBreaker(() => now);
    for (let failure = 0; failure < 9; failure += 1) {
      breaker.failed();
      now += 20_000;
    }
    assert.equal(breaker.state(), 'closed');
  });
});

describe('what is sent to the provider and stored', () => {
  it('numbers captions by their place, and leaves out empty ones', () => {
    assert.deepEqual(numbered(sourceOf(['a', ' ', 'b\nc']).segments), [
      { n: 0, text: 'a' },
      { n: 2, text: 'b c' },
    ]);
    assert.match(promptVersion, /^\d{4}-\d\d-\d\d$/);
  });

  it('keeps vectors unchanged', () => {
    const vectors = [
      [0.5, -0.25, 1],
      [0, 0.125, 2],
    ];
    assert.deepEqual(fromKept(toKept(vectors)), vectors);
    assert.deepEqual(fromKept(toKept([])), []);
  });

  it('accepts language codes only', () => {
    assert.equal(languageName('pt-BR'), 'Brazilian Portuguese');
    for (const code of ['', 'x', 'qqq', 'en"; system:', 'en_US']) assert.equal(languageName(code), null);
  });
});

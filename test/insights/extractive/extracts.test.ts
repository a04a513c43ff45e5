import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extractAnswer, notInThisVideo } from '#src/insights/extractive/ask.ts';
import { extractChapters } from '#src/insights/extractive/chapters.ts';
import { readDocument } from '#src/insights/extractive/document.ts';
import { extractQuotes } from '#src/insights/extractive/quotes.ts';
import { composeRepurpose } from '#src/insights/extractive/repurpose.ts';
import { searchTranscript } from '#src/insights/extractive/search.ts';
import { extractSummary } from '#src/insights/extractive/summarize.ts';
import { windowsOf } from '#src/insights/extractive/windows.ts';
import { words } from '#src/insights/extractive/words.ts';
import type { Source } from '#src/insights/source.ts';
import { captioned, lecturesOf, talkLanguages, talkOf } from '#test/bench/talks.ts';

const talk = (language: (typeof talkLanguages)[number]): Source =>
  captioned(
    talkOf(language).map(({ text }) => text),
    language,
  );
const lectures = captioned(
  lecturesOf('en').map(({ text }) => text),
  'en',
);
const sourceOf = (texts: readonly string[], language: string | null = 'en'): Source => ({
  ...{ videoId: 'abc123def45', title: null, channel: null, durationS: null, language },
  segments: texts.map((text, at) => ({ text, start: at * 4, duration: 4 })),
});

describe('words', () => {
  it('are split at apostrophes and found in scripts without spaces', () => {
    assert.deepEqual(words("L'acqua dell’aria", 'it'), ['acqua', 'dell', 'aria']);
    assert.ok(words('海の水は塩辛い', 'ja').includes('海'));
    assert.deepEqual(words('مرحبا بالعالم', 'ar'), ['مرحبا', 'بالعالم']);
  });
});

describe('sentences', () => {
  it('do not end at an abbreviation', () => {
    const { sentences, text } = readDocument(
      sourceOf(['Dr. Smith lives in the U.S. with Mrs. Jones', 'and a dog. He is old.']),
    );
    assert.deepEqual(
      sentences.map(({ from, to }) => text.slice(from, to)),
      ['Dr. Smith lives in the U.S. with Mrs. Jones and a dog.', 'He is old.'],
    );
  });

  it('are groups of captions where nothing is punctuated', () => {
    const automatic = captioned([lecturesOf('en')[0]?.text ?? ''], 'en', { isAutomatic: true });
    const { sentences, isPunctuated } = readDocument(automatic);
    assert.equal(isPunctuated, false);
    assert.ok(sentences.length > 3);
    assert.ok(sentences.every(({ firstToken, endToken }) => endToken - firstToken <= 40));
  });
});

describe('search without a model', () => {
  it('finds a word with a typing error, another form of it and a part of a compound', () => {
    const find = (query: string, language: 'en' | 'de' = 'en') =>
      searchTranscript(talk(language), { query, limit: 1 })[0]?.text ?? '';
    assert.match(find('volcnao exploding'), /Tambora exploded/);
    assert.match(find('printers in town'), /Gutenberg|Luther/);
    assert.match(find('Versicherung', 'de'), /Versicherungsmarkt/);
  });

  it('finds words of grammar where they are said as in the query', () => {
    const tides = sourceOf(['The moon pulls at the sea.', 'Low water is when the boats rest.', 'We are who we are.']);
    const find = (query: string) => searchTranscript(tides, { query, limit: 5 }).map(({ text }) => text);
    assert.equal(find('who we').length, 1);
    assert.match(find('At the')[0] ?? '', /pulls at the sea/);
    for (const query of ['we who', 'of the', '?']) assert.deepEqual(find(query), [], query);
  });

  it('finds nothing if the words of the query are not said, and nothing in an empty transcript', () => {
    assert.deepEqual(searchTranscript(talk('en'), { query: 'xylophone quantum', limit: 5 }), []);
    assert.deepEqual(searchTranscript(sourceOf([]), { query: 'tide', limit: 5 }), []);
    assert.deepEqual(searchTranscript(sourceOf(['[Music]', '♪']), { query: 'music', limit: 5 }), []);
  });

  it('ranks by embeddings too, in the order of the windows', () => {
    const windows = windowsOf(talk('en'));
    const wanted = 5;
    const embeddings = { query: [1, 0], windows: windows.map((_, at) => (at === wanted ? [1, 0] : [0, 1])) };
    const [hit] = searchTranscript(talk('en'), { query: 'zzzz', limit: 1, embeddings });
    assert.equal(hit?.text, windows[wanted]?.text);
  });
});

describe('an answer without a model', () => {
  it('answers polite questions in Japanese, whose endings are not words of the topic', () => {
    const lines = [
      ['石は十五個ありますが、どこから見ても一つは隠れています。', '石はいくつありますか？'],
      ['朝八時に開き、午後五時に閉まります。', '何時に開きますか？'],
    ] as const;
    const garden = {
      ...talk('ja'),
      segments: lines.map(([text], index) => ({ text, start: index * 60, duration: 5 })),
    };
    for (const [text, question] of lines) {
      const { grounded, citations } = extractAnswer(garden, { question });
      assert.deepEqual([grounded, citations[0]?.text.includes(text)], [true, true], question);
    }
    const other = extractAnswer(garden, { question: 'サッカーの試合は誰が勝ちましたか？' });
    assert.equal(other.grounded, false);
  });

  it('is the passage that has the words of the question', () => {
    const { grounded, citations } = extractAnswer(talk('en'), {
      question: 'Which computer beat the champion Kasparov?',
    });
    assert.equal(grounded, true);
    assert.match(citations[0]?.text ?? '', /Deep Blue/);
  });

  it('has at most three sentences, and is its citation', () => {
    let grounded = 0;
    for (const language of talkLanguages) {
      for (const isAutomatic of [false, true]) {
        const source = captioned(
          talkOf(language).map(({ text }) => text),
          language,
          { isAutomatic },
        );
        const { text, sentences } = readDocument(source);
        for (const { question } of talkOf(language).flatMap(({ questions }) => questions)) {
          const { answer, citations } = extractAnswer(source, { question });
          if (citations.length === 0) continue;
          grounded += 1;
          assert.deepEqual(
            citations.map((each) => each.text),
            [answer],
          );
          const from = text.indexOf(answer);
          const of = sentences.filter((one) => one.from >= from && one.to <= from + answer.length);
          assert.ok(of.length >= 1 && of.length <= 3, answer);
        }
      }
    }
    assert.ok(grounded > 300, `${grounded} of 480 questions are answered`);
  });

  it('says that there is none in the requested language', () => {
    for (const language of talkLanguages) {
      const { answer, grounded } = extractAnswer(talk('en'), {
        question: 'Who composed the opera Aida?',
        output_lang: language,
      });
      assert.equal(grounded, false);
      assert.equal(answer, notInThisVideo(language));
    }
    assert.equal(new Set(talkLanguages.map(notInThisVideo)).size, talkLanguages.length);
  });
});

describe('texts without a model', () => {
  it('have chapters at the changes of topic', () => {
    const chapters = extractChapters(lectures);
    assert.ok(chapters.length >= 8 && chapters.length <= 12);
    assert.equal(chapters[0]?.start, 0);
  });

  it('reach the requested length, in sentences of the transcript', () => {
    const said = lectures.segments.map(({ text }) => text).join(' ');
    const bounds = { short: [60, 90], medium: [150, 220], detailed: [400, 600] } as const;
    for (const length of ['short', 'medium', 'detailed'] as const) {
      const summary = extractSummary(lectures, { length });
      const [least, most] = bounds[length];
      const count = summary.split(/\s+/).length;
      assert.ok(count >= least && count <= most, `${length}: ${count} words`);
      for (const sentence of summary.split(/(?<=[.?!])\s+/)) assert.ok(said.includes(sentence));
    }
  });

  it('have the clause that says most as the title of a chapter, verbatim and cut after a phrase', () => {
    for (const language of talkLanguages) {
      for (const isAutomatic of [false, true]) {
        const texts = talkOf(language).map(({ text }) => text);
        const source = captioned(texts, language, { isAutomatic });
        const said = readDocument(source).text;
        for (const { title } of extractChapters(source)) {
          assert.ok(said.includes(title) && title.length <= 60, title);
          assert.ok(isAutomatic || !/[,;:]/.test(title), title);
        }
      }
    }
    const titles = extractChapters(talk('en')).map(({ title }) => title);
    assert.ok(titles.includes('Wild yeast lives on every grain and turns starch into gas'), titles.join('\n'));
    assert.ok(titles.includes('their inner clock really is shifted by about two hours'), titles.join('\n'));
  });

  it('end each fragment of captions without punctuation with an ellipsis, in a line of its own', () => {
    const automatic = captioned(
      lecturesOf('en').map(({ text }) => text),
      'en',
      { isAutomatic: true },
    );
    const said = automatic.segments.map(({ text }) => text).join(' ');
    for (const length of ['short', 'detailed'] as const) {
      const lines = extractSummary(automatic, { length }).split('\n');
      assert.ok(lines.length > 1);
      for (const line of lines) assert.ok(line.endsWith('…') && said.includes(line.slice(0, -1)), line);
    }
  });

  it('quote sentences of 6 to 40 words', () => {
    const quotes = extractQuotes(lectures);
    assert.equal(quotes.length, 8);
    for (const { text } of quotes) {
      const count = words(text, 'en').length;
      assert.ok(count >= 6 && count <= 40, text);
    }
  });

  it('begin chapters of a description at 00:00, even where the speech begins later', () => {
    const late = { ...lectures, segments: lectures.segments.map((each) => ({ ...each, start: each.start + 7 })) };
    const description = composeRepurpose(late, { format: 'youtube_description' });
    assert.match(description, /^00:00 /m);
    assert.ok(description.length <= 5000);
  });

  it('are made of a transcript of twelve hours', () => {
    const texts = Array.from({ length: 100 }, () => lecturesOf('en').map(({ text }) => text)).flat();
    const long = captioned(texts, 'en');
    assert.equal(extractChapters(long).length <= 12, true);
    assert.notEqual(extractSummary(long, { length: 'short' }), '');
  });
});

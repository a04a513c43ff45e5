import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RepurposeFormat } from '#src/contract/operations/repurpose.ts';
import { extractAnswer } from '#src/insights/extractive/ask.ts';
import { extractChapters } from '#src/insights/extractive/chapters.ts';
import { extractClips } from '#src/insights/extractive/clips.ts';
import { extractQuotes } from '#src/insights/extractive/quotes.ts';
import { composeRepurpose } from '#src/insights/extractive/repurpose.ts';
import { searchTranscript } from '#src/insights/extractive/search.ts';
import { extractSummary } from '#src/insights/extractive/summarize.ts';
import { windowsOf } from '#src/insights/extractive/windows.ts';
import type { Excerpt, Source } from '#src/insights/source.ts';

const formats: readonly RepurposeFormat[] = [
  ...(['blog', 'newsletter', 'linkedin', 'x_thread', 'youtube_description', 'show_notes'] as const),
];

const phrases = [
  ...['the tide is rising', 'because the moon pulls', 'water. And then', 'it fell by 40 percent?'],
  ...['Dr. Smith', 'went to the U.S. in 1990.', '<i>slowly</i>', '[Music]', '♪♪', '', '   ', '\u202bשלום עולם\u202c'],
  ...[
    'مرحبا بالعالم.',
    '海の水は塩辛い。',
    '我们今天讲潮汐',
    '물은 왜 짠가요?',
    "l'acqua è salata",
    '>> Über die Größe',
    '😀',
    '\u200e',
  ],
];

const anySource: fc.Arbitrary<Source> = fc
  .record({
    language: fc.constantFrom('en', 'de', 'fr', 'ja', 'zh-Hans', 'ko', 'ar', 'xx', 'not a tag', null),
    title: fc.constantFrom('A title', null, '<b>\u202e'),
    segments: fc.array(
      fc.record({
        text: fc.oneof(
          fc.array(fc.constantFrom(...phrases), { maxLength: 6 }).map((parts) => parts.join(' ')),
          fc.string({ maxLength: 40 }),
        ),
        gap: fc.constantFrom(0, 0, 0.5, 3, 40),
        duration: fc.constantFrom(0, 1.5, 4, 80),
        isRolling: fc.boolean(),
      }),
      { maxLength: 60 },
    ),
  })
  .map(({ language, title, segments }) => {
    let at = 0;
    const placed = segments.map(({ text, gap, duration, isRolling }) => {
      const start = at + gap;
      at = start + (isRolling ? duration / 2 : duration);
      return { text, start, duration };
    });
    return { videoId: 'abc123def45', title, channel: null, durationS: null, language, segments: placed };
  });

const plain = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** The text stands in the captions that are shown in its time. */
const assertVerbatim = ({ segments }: Source, { start, end, text }: Excerpt): void => {
  const said = plain(
    segments
      .filter((each) => each.start >= start)
      .map((each) => each.text)
      .join(' '),
  );
  const first = segments.find((each) => each.start === start && plain(each.text) !== '');
  assert.ok(first !== undefined, `${start} is the start of a caption`);
  assert.ok(said.includes(text), text);
  const last = Math.max(0, ...segments.map((each) => each.start + each.duration));
  assert.ok(end >= start - 0.001 && end <= last + 0.001, `${start} to ${end} is within the transcript`);
};

const assertApart = (excerpts: readonly Excerpt[]): void => {
  for (const [at, { start }] of excerpts.entries()) {
    assert.ok(at === 0 || start >= (excerpts[at - 1]?.end ?? 0), 'passages do not overlap');
  }
};

const everySource = (check: (source: Source) => void): void =>
  fc.assert(fc.property(anySource, check), { numRuns: 150, seed: 15 });

describe('extractive operations on every transcript', () => {
  it('finds verbatim passages of 60 seconds at most, by falling score', () =>
    everySource((source) => {
      const hits = searchTranscript(source, { query: 'tide moon 1990 water 海 물은', limit: 5 });
      assert.ok(hits.length <= 5);
      for (const [at, hit] of hits.entries()) {
        assertVerbatim(source, hit);
        assert.ok(hit.end - hit.start <= 60);
        assert.ok(hit.score > 0 && hit.score <= (hits[at - 1]?.score ?? 1));
      }
      for (const window of windowsOf(source)) assertVerbatim(source, { ...window, end: window.start });
    }));

  it('cites verbatim passages, or says that there is no answer and cites none', () =>
    everySource((source) => {
      const answer = extractAnswer(source, { question: 'Why is the tide rising?' });
      assert.equal(answer.grounded, answer.citations.length > 0);
      assert.notEqual(answer.answer, '');
      if (answer.grounded) assert.equal(answer.answer, answer.citations[0]?.text);
      for (const citation of answer.citations) assertVerbatim(source, citation);
    }));

  it('starts chapters at captions, the first at the first one, under titles of their own', () =>
    everySource((source) => {
      const chapters = extractChapters(source);
      assert.ok(chapters.length <= 12);
      assert.equal(chapters[0]?.start, source.segments[0]?.start);
      const titles = chapters.map(({ title }) => title.toLowerCase());
      assert.equal(new Set(titles).size, titles.length);
      for (const [at, { start, title }] of chapters.entries()) {
        assert.ok(title !== '' && title.length <= 60, title);
        assert.ok(source.segments.some((each) => each.start === start));
        assert.ok(at === 0 || start > (chapters[at - 1]?.start ?? 0));
      }
    }));

  it('quotes at most eight sentences verbatim, none twice', () =>
    everySource((source) => {
      const quotes = extractQuotes(source);
      assert.ok(quotes.length <= 8);
      assertApart(quotes);
      for (const quote of quotes) assertVerbatim(source, quote);
    }));

  it('cuts at most six clips of 15 to 90 seconds, verbatim and apart', () =>
    everySource((source) => {
      const clips = extractClips(source);
      assert.ok(clips.length <= 6);
      assertApart(clips);
      for (const clip of clips) {
        assertVerbatim(source, clip);
        assert.ok(clip.end - clip.start >= 15 && clip.end - clip.start <= 90);
        assert.ok(clip.text.startsWith(clip.opening_line) || clip.text.includes(clip.opening_line));
        assert.ok(clip.label !== '' && clip.why !== '');
      }
    }));

  it('summarizes in sentences of the transcript and composes texts within the limits of each format', () =>
    everySource((source) => {
      const text = plain(source.segments.map((each) => each.text).join(' '));
      for (const length of ['short', 'medium', 'detailed'] as const) {
        const lines = extractSummary(source, { length })
          .split('\n')
          .filter((line) => line !== '');
        assert.ok(lines.length === 0 || text !== '');
      }
      for (const format of formats) {
        const composed = composeRepurpose(source, { format });
        assert.ok(composed.includes('https://www.youtube.com/watch?v=abc123def45'));
        if (format === 'youtube_description') assert.ok(composed.length <= 5000);
        if (format === 'x_thread') {
          for (const post of composed.split('\n\n')) assert.ok(post.length <= 280, post);
        }
      }
    }));
});

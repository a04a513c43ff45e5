import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textSegments } from '#src/kernel/text-segments.ts';
import { declarationOf, talkLanguages, talkOf } from '#test/bench/talks.ts';

const plain = (text: string, segmenter: Intl.Segmenter) =>
  [...segmenter.segment(text)].map(({ segment, index, isWordLike }) => ({ segment, index, isWordLike }));

describe('segments of a text', () => {
  for (const language of talkLanguages) {
    it(`are those of Intl.Segmenter: sentences of ${language}`, () => {
      const text = [...talkOf(language), ...declarationOf(language)].map((part) => part.text).join(' ');
      const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
      assert.ok(text.length > 2_000);
      assert.deepEqual([...textSegments(text, segmenter)], plain(text, segmenter));
    });
  }

  it('are those of Intl.Segmenter where one is longer than a window, and in an empty text', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
    for (const text of ['', `A. ${'word '.repeat(2_000)}. B c. D e.`, 'a'.repeat(9_000)]) {
      assert.deepEqual([...textSegments(text, segmenter)], plain(text, segmenter));
    }
  });

  it('are found in time that is linear in the length of the text', () => {
    let copied = 0;
    const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
    const segment = (text: string) => {
      const segments = segmenter.segment(text);
      copied += text.length * [...segments].length;
      return segments;
    };
    const costOf = (text: string): number => {
      copied = 0;
      assert.ok([...textSegments(text, { ...segmenter, segment })].length > 0);
      return copied;
    };
    const text = 'This sentence is short. '.repeat(1_000);
    assert.ok(costOf(text.repeat(10)) < 11 * costOf(text));
  });
});

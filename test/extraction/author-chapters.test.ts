import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { authorChapters } from '#src/extraction/video-details.ts';

const brief = (description: string, durationS: number | null = 600) =>
  authorChapters(description, durationS)?.map(({ startS, endS, title }) => [startS, endS, title]) ?? null;

describe('chapters in a description', () => {
  it('are lines with a time and a title, each until the next and the last until the end', () => {
    const text = 'About bread.\n\n0:00 Opening\n1:05 Kneading\n1:00:00 Baking\n\nhttps://example.org/1:30';
    assert.deepEqual(brief(text, 4_000), [
      [0, 65, 'Opening'],
      [65, 3_600, 'Kneading'],
      [3_600, 4_000, 'Baking'],
    ]);
    assert.equal(brief(text, null)?.at(-1)?.[1], null);
  });

  for (const [how, text] of [
    ['bullets', '• 0:00 One\n- 0:30 Two\n▶ 1:00 Three'],
    ['brackets', '(0:00) One\n[00:30] Two\n(01:00) - Three'],
    ['numbers', '1. 0:00 One\n2) 0:30 Two\n3. 1:00 Three'],
    ['ranges', '0:00 - 0:30 One\n0:30–1:00 Two\n1:00 - 9:00: Three'],
    ['times at their ends', 'One 0:00\nTwo - 0:30\nThree (1:00)'],
    ['hours', '00:00:00 One\n00:00:30 Two\n00:01:00 Three'],
  ] as const) {
    it(`may be written with ${how}`, () => {
      assert.deepEqual(
        brief(text)?.map(([start, , title]) => [start, title]),
        [
          [0, 'One'],
          [30, 'Two'],
          [60, 'Three'],
        ],
      );
    });
  }

  for (const [why, text] of [
    ['they do not begin at 0:00', '0:05 One\n0:30 Two\n1:00 Three'],
    ['they are two', '0:00 One\n0:30 Two'],
    ['they fall', '0:00 One\n1:30 Two\n1:00 Three'],
    ['one repeats', '0:00 One\n0:30 Two\n0:30 Two\n1:00 Three'],
    ['one is shorter than ten seconds', '0:00 One\n0:30 Two\n0:39 Three'],
    ['one begins after the end', '0:00 One\n0:30 Two\n10:30 Three'],
    ['the last is shorter than ten seconds', '0:00 One\n0:30 Two\n9:55 Three'],
    ['they have no titles', '0:00\n0:30\n1:00'],
    ['they are times of a day', '0:00am One\n0:30am Two\n1:00pm Three'],
    ['seconds are more than 59', '0:00 One\n0:60 Two\n1:75 Three'],
    ['there is no text', ''],
  ] as const) {
    it(`are none where ${why}`, () => assert.equal(brief(text), null));
  }

  it('always rise from 0, without gaps', () => {
    const line = fc.tuple(fc.nat(700), fc.constantFrom('', 'One', '字', ' - x')).map(([s, title]) => {
      const time = `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
      return `${time} ${title}`;
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string()), { maxLength: 8 }), (lines) => {
        const chapters = authorChapters(lines.join('\n'), 600);
        if (chapters === null) return;
        assert.ok(chapters.length >= 3);
        assert.equal(chapters[0]?.startS, 0);
        for (const [at, { startS, endS }] of chapters.entries()) {
          assert.ok(endS !== null && endS - startS >= 10);
          assert.equal(endS, chapters[at + 1]?.startS ?? 600);
        }
      }),
    );
  });
});

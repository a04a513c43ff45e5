import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toSrt, toTxt, toVtt } from '#src/transcripts/formats/subtitles.ts';
import { timestampOf, withTimestamps } from '#src/transcripts/timestamp.ts';
import type { Cue } from '#src/transcripts/transcript.ts';
import { anyText } from '#test/support/any-text.ts';
import { cuesOf, transcriptOf } from '../sample-transcript.ts';
import { parseSrt } from './parse-srt.ts';
import { parseVtt } from './parse-vtt.ts';

const plain = { timestamps: false };
const timed = { timestamps: true };

describe('timestamps', () => {
  it('are minutes and seconds, with hours from one hour on, cut off and never rounded up', () => {
    const read = [0, 999, 59_999, 61_500, 3_599_999, 3_600_000, 36_061_000, 360_000_000];
    assert.deepEqual(read.map(timestampOf), [
      '00:00',
      '00:00',
      '00:59',
      '01:01',
      '59:59',
      '1:00:00',
      '10:01:01',
      '100:00:00',
    ]);
  });

  it('precede the text of a cue and leave its times unchanged', () => {
    assert.deepEqual(withTimestamps([{ text: 'hello', startMs: 61_000, endMs: 62_000 }]), [
      { text: '[01:01] hello', startMs: 61_000, endMs: 62_000 },
    ]);
  });
});

describe('plain text', () => {
  it('has one line for each caption, whatever line breaks it contains', () => {
    const transcript = transcriptOf(cuesOf('two\nlines', 'one\r\n\r\nmore', ' \n ', 'last'));
    assert.equal(toTxt(transcript, plain), 'two lines\none more\nlast\n');
    assert.equal(toTxt(transcriptOf([]), plain), '');
  });

  it('has the start of each caption in brackets if requested', () => {
    assert.equal(toTxt(transcriptOf(cuesOf('a', 'b')), timed), '[00:00] a\n[00:02] b\n');
  });

  // S65: markup, escape sequences and bidirectional overrides in captions
  it('carries no escape sequence to a terminal and no override of the reading direction', () => {
    const transcript = transcriptOf(cuesOf('\u001b[31mred\u0007 \u202eevil', 'שלום \u202bעולם\u202c'));
    assert.equal(toTxt(transcript, plain), '[31mred evil\nשלום \u202bעולם\u202c\n');
  });
});

describe('SRT', () => {
  it('numbers the cues and writes the original times with hours', () => {
    const cues: Cue[] = [
      { text: 'first\nsecond line', startMs: 1_234, endMs: 2_000 },
      { text: 'after an hour', startMs: 3_661_001, endMs: 360_000_000 },
    ];
    assert.equal(
      toSrt(transcriptOf(cues), plain),
      '1\n00:00:01,234 --> 00:00:02,000\nfirst\nsecond line\n\n2\n01:01:01,001 --> 100:00:00,000\nafter an hour\n',
    );
  });

  it('puts the timestamp into the text if requested', () => {
    assert.match(toSrt(transcriptOf(cuesOf('a')), timed), /\n\[00:00\] a\n$/);
  });

  it('shows an arrow in a text without turning it into a timing', () => {
    const file = toSrt(transcriptOf(cuesOf('00:00:01,000 --> 00:00:02,000')), plain);
    assert.equal(file.match(/-->/g)?.length, 1);
  });
});

describe('WebVTT', () => {
  // S65: markup, escape sequences and bidirectional overrides in captions
  it('escapes what would be markup and keeps arrows out of the text', () => {
    assert.equal(
      toVtt(transcriptOf(cuesOf('<b>a</b> & b --> c\n\nNOTE d')), plain),
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.900\n&lt;b&gt;a&lt;/b&gt; &amp; b --&gt; c\nNOTE d\n',
    );
  });

  it('puts the timestamp into the text if requested', () => {
    assert.match(toVtt(transcriptOf(cuesOf('a')), timed), /\n\[00:00\] a\n$/);
  });

  it('is valid without any cue, and makes a cue without length one millisecond long', () => {
    assert.equal(toVtt(transcriptOf([]), plain), 'WEBVTT\n');
    const cue = { text: 'blink', startMs: 5, endMs: 5 };
    assert.match(toVtt(transcriptOf([cue]), plain), /00:00:00\.005 --> 00:00:00\.006/);
  });
});

const pieces = [
  '-->',
  ' --> ',
  '&',
  '&amp;',
  '&lt;',
  '<',
  '>',
  '<i>',
  '</script>',
  '12',
  '1',
  '00:00:01.000 --> 00:00:02.000',
  'NOTE x',
  'STYLE',
  'WEBVTT',
  'مرحبا بالعالم',
  '\u202bשלום\u202c',
  '👩‍👩‍👧',
  '音楽',
  'é',
  ' ',
  '{\\an8}',
  '\\',
];

/** A line as a cue can hold it: not blank, no space at its ends. */
const line = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 8 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => `x${parts.join('').replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')}x`);

const hostile = fc
  .array(fc.oneof(fc.constantFrom(...pieces, '\n', '\n\n', '\r\n', '\t'), anyText({ maxLength: 6 })), { maxLength: 10 })
  .map((parts) => parts.join(''));

const cuesWith = (text: fc.Arbitrary<string>): fc.Arbitrary<Cue[]> =>
  fc.array(
    fc
      .tuple(text, fc.nat(400_000_000), fc.nat(100_000))
      .map(([words, startMs, length]) => ({ text: words, startMs, endMs: startMs + length + 1 })),
    { maxLength: 12 },
  );

const settings = { seed: 20260701, numRuns: 400 };
const readable = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\s\u2028\u2029\u200b-\u200f\u2060\u202d\u202e]/gu, '');

describe('export and import', () => {
  const formats = [
    ['SRT', toSrt, parseSrt],
    ['WebVTT', toVtt, parseVtt],
  ] as const;

  for (const [name, write, read] of formats) {
    it(`preserves the cues through ${name}: same texts, same milliseconds`, () => {
      const lines = fc.array(line, { minLength: 1, maxLength: 3 }).map((all) => all.join('\n'));
      fc.assert(
        fc.property(cuesWith(lines), (cues) => {
          assert.deepEqual(read(write(transcriptOf(cues), plain)), cues);
        }),
        settings,
      );
    });

    it(`loses no readable character through ${name}, whatever the text`, () => {
      fc.assert(
        fc.property(cuesWith(hostile), (cues) => {
          const shown = cues.filter((cue) => readable(cue.text) !== '');
          const back = read(write(transcriptOf(cues), plain));
          assert.deepEqual(
            back.map((cue) => [readable(cue.text), cue.startMs, cue.endMs]),
            shown.map((cue) => [readable(cue.text), cue.startMs, cue.endMs]),
          );
        }),
        settings,
      );
    });
  }

  it('writes WebVTT that follows the grammar of the standard', () => {
    const time = String.raw`\d{2,}:[0-5]\d:[0-5]\d\.\d{3}`;
    const grammar = new RegExp(
      String.raw`^WEBVTT\n(?:\n${time} --> ${time}\n(?:(?:[^<>&\n\r]|&(?:amp|lt|gt);)+\n)+)*$`,
      'u',
    );
    fc.assert(
      fc.property(cuesWith(hostile), (cues) => {
        assert.match(toVtt(transcriptOf(cues), plain), grammar);
      }),
      settings,
    );
  });
});

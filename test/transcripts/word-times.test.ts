import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCaptions } from '#src/extraction/captions/captions.ts';
import { clean } from '#src/transcripts/clean.ts';
import { toJson } from '#src/transcripts/formats/json.ts';
import { toSrt, toTxt, toVtt } from '#src/transcripts/formats/subtitles.ts';
import type { Cue } from '#src/transcripts/transcript.ts';
import { transcriptOf } from './sample-transcript.ts';

const line: Cue = {
  text: 'at the <left> we see',
  startMs: 15_000,
  endMs: 18_000,
  words: [
    { text: 'at', startMs: 15_000 },
    { text: 'the', startMs: 15_491 },
    { text: '<left>', startMs: 15_491 },
    { text: 'we', startMs: 16_473 },
    { text: 'see', startMs: 18_200 },
  ],
};
const cues = [line, { text: 'by hand', startMs: 20_000, endMs: 21_000, words: null }];

describe('the times of words', () => {
  it('are within the cues of VTT, in rising order and before the end of the cue', () => {
    assert.equal(
      toVtt({ cues }, { timestamps: false }),
      [
        'WEBVTT',
        '',
        '00:00:15.000 --> 00:00:18.000',
        'at<00:00:15.491><c> the &lt;left&gt;</c><00:00:16.473><c> we see</c>',
        '',
        '00:00:20.000 --> 00:00:21.000',
        'by hand',
        '',
      ].join('\n'),
    );
    assert.match(toVtt({ cues }, { timestamps: true }), /\n\[00:15\] at<00:00:15\.491><c> the/);
  });

  it('do not change the text of VTT when it is read back', () => {
    const read = readCaptions(toVtt({ cues }, { timestamps: false }), { isAutomatic: false });
    assert.deepEqual(
      read.map(({ text }) => text),
      cues.map(({ text }) => text),
    );
  });

  it('change no other text', () => {
    const bare = cues.map(({ words: _, ...cue }) => cue);
    for (const write of [toTxt, toSrt])
      assert.equal(write({ cues }, { timestamps: true }), write({ cues: bare }, { timestamps: true }));
  });

  it('are seconds in JSON, null if they are unknown, and missing if they were not requested', () => {
    const [said, written] = toJson(transcriptOf(cues)).segments;
    assert.deepEqual(said?.words?.[1], { text: 'the', start: 15.491 });
    assert.equal(written?.words, null);
    const [bare] = toJson(transcriptOf([{ text: 'a', startMs: 0, endMs: 1 }])).segments;
    assert.ok(bare !== undefined && !('words' in bare));
  });

  it('follow the text that remains after cleaning', () => {
    const words = ['[Music]', 'so', '♪la', 'la'].map((text, index) => ({ text, startMs: index * 100 }));
    const [cleaned] = clean([{ text: '[Music] so ♪la la', startMs: 0, endMs: 900, words }]);
    assert.equal(cleaned?.text, 'so la la');
    assert.deepEqual(cleaned?.words, [
      { text: 'so', startMs: 100 },
      { text: 'la', startMs: 200 },
      { text: 'la', startMs: 300 },
    ]);
  });
});

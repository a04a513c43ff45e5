import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recording, recordingsMissing } from '#test/support/recordings.ts';
import { parseVtt } from './parse-vtt.ts';

describe('the WebVTT parser of the tests', { skip: recordingsMissing }, () => {
  const folder = 'formats/webvtt/wpt-file-parsing';

  it('finds in each file of the W3C suite as many cues as the suite says', () => {
    const expected: Record<string, number | string | null> = JSON.parse(
      recording(`${folder}/expected-cue-counts.json`),
    );
    let checked = 0;
    for (const [name, count] of Object.entries(expected)) {
      if (count === null) continue;
      const file = recording(`${folder}/${name}`);
      if (typeof count === 'string') assert.throws(() => parseVtt(file), /not WebVTT/, name);
      else assert.equal(parseVtt(file).length, count, name);
      checked += 1;
    }
    assert.ok(checked >= 32);
  });

  it('reads times and texts like the reference files of another parser', () => {
    const folder = 'formats/webvtt/vttjs';
    for (const name of [
      'cue-times__fractions',
      'cue-times__max-spots-over-sixty',
      'cuetext__languages__long_string_arabic',
      'cuetext__languages__long_string_multiple_languages',
      'cuetext__languages__japanese',
    ]) {
      const reference: { cues: { startTime: number; endTime: number; text: string }[] } = JSON.parse(
        recording(`${folder}/${name}.json`),
      );
      assert.deepEqual(
        parseVtt(recording(`${folder}/${name}.vtt`)),
        reference.cues.map(({ startTime, endTime, text }) => ({
          text,
          startMs: Math.round(startTime * 1000),
          endMs: Math.round(endTime * 1000),
        })),
        name,
      );
    }
  });
});

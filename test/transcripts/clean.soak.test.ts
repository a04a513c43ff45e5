import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clean } from '#src/transcripts/clean.ts';
import { cuesOf } from './sample-transcript.ts';

describe('clean', () => {
  it('takes no longer for hostile brackets than for plain text', () => {
    for (const sign of ['[', '(', '[(', ' ', '♪ ', '〜', ' 〜', '♪〜', '<i>', '>> ', '(a ']) {
      const before = process.cpuUsage();
      clean(cuesOf(`♪${sign.repeat(20_000)}`));
      // Processor time: other programs do not count.
      assert.ok(process.cpuUsage(before).user < 1_000_000, sign);
    }
  });
});

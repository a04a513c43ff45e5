import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OperationCall, operationAnswer } from '#src/contract/operations.ts';
import { callsOf, resultOf, storedCalls, storedResult } from '#src/insights/stored-operations.ts';

const made = { videoId: 'lighthouse1', language: 'en', model: null, use: null, isFallback: true };

describe('the operations of a job', () => {
  it('are stored under their original names', () => {
    const calls: readonly OperationCall[] = [
      { operation: 'ask', question: 'Why?' },
      { operation: 'translate', target_lang: 'de', mode: 'translated' },
      { operation: 'quotes' },
    ];
    const stored =
      '[{"operation":"ask","params":{"question":"Why?","outputLanguage":null}},' +
      '{"operation":"translate","params":{"targetLanguage":"de","mode":"translated"}},' +
      '{"operation":"quotes","params":{}}]';
    assert.equal(storedCalls(calls), stored);
    assert.deepEqual(callsOf(stored), [{ ...calls[0], output_lang: null }, calls[1], calls[2]]);
  });

  const clip = { start: 1, end: 20, timestamp: '00:01', text: 'Hello.', label: 'a', why: 'b' };
  const segments = [{ text: 'Hallo', start: 0, duration: 1 }];
  for (const [operation, params, result, answered] of [
    [
      'clips',
      {},
      { clips: [{ ...clip, endTimestamp: '00:20', openingLine: 'Hello.' }] },
      { clips: [{ ...clip, end_timestamp: '00:20', opening_line: 'Hello.' }] },
    ],
    ['search', { query: 'a', limit: 3 }, [{ start: 1 }], { query: 'a', results: [{ start: 1 }] }],
    [
      'translate',
      { targetLanguage: 'de', mode: 'translated' },
      { translated: true, code: 'OK', message: '', segments },
      { target_lang: 'de', source_language: 'en', segment_count: 1, segments },
    ],
  ] as const) {
    it(`are answered from results that an earlier release stored: ${operation}`, () => {
      const kept = resultOf(JSON.stringify({ operation, params, ...made, result }));
      const answer = operationAnswer(kept);
      assert.deepEqual({ ...answer, ...answered, video_id: made.videoId }, answer);
      assert.deepEqual(resultOf(storedResult(kept)), kept);
      assert.deepEqual(JSON.parse(storedResult(kept)).params, params);
    });
  }
});

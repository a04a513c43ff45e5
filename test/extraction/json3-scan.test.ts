import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readAnyJson3 } from '#src/extraction/captions/json3.ts';
import { scanJson3 } from '#src/extraction/captions/json3-scan.ts';
import { anyText } from '#test/support/any-text.ts';
import { recording, recordingsMissing } from '#test/support/recordings.ts';

const word = fc.record(
  {
    acAsrConf: fc.nat(255),
    utf8: fc.oneof(fc.string(), anyText(), fc.constantFrom('\n', '"', '\\', '}', '\\"}')),
    tOffsetMs: fc.nat(100_000),
  },
  { requiredKeys: ['utf8'] },
);
const numbers = { wWinId: fc.nat(9), tStartMs: fc.nat(), dDurationMs: fc.nat(), aAppend: fc.constantFrom(0, 1) };
const event = fc.oneof(
  fc.record(numbers, { requiredKeys: [] }),
  fc.record({ segs: fc.array(word, { maxLength: 6 }), ...numbers }, { requiredKeys: ['segs', 'tStartMs'] }),
);
const document = fc.record({
  pens: fc.constant([{}]),
  wireMagic: fc.constant('pb3'),
  events: fc.array(event, { maxLength: 12 }),
  after: fc.string(),
});

describe('the quick reader of json3', () => {
  it('reads what the general reader reads, however it is spaced', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(0, 1, 2, '\t'), (given, indent) => {
        const text = JSON.stringify(given, null, indent);
        const found = scanJson3(text);
        assert.ok(found !== null, 'the expected form is read');
        assert.deepEqual(found, readAnyJson3(text));
      }),
      { seed: 5, numRuns: 1_000 },
    );
  });

  it('leaves every truncated document to the general reader', () => {
    const text = JSON.stringify({ wireMagic: 'pb3', events: [{ tStartMs: 1, segs: [{ utf8: 'a"b' }] }], x: 1 });
    for (let length = 0; length < text.length; length += 1) assert.equal(scanJson3(text.slice(0, length)), null);
  });

  it('accepts a first line without a start, which is at zero, but no later one', () => {
    const [first, second] = ['{"segs":[{"utf8":"a"}]}', '{"segs":[{"utf8":"b"}]}'];
    const line = { text: 'a', startMs: 0, durationMs: null };
    assert.deepEqual(scanJson3(`{"events":[${first}]}`), [line]);
    assert.equal(scanJson3(`{"events":[${first},${second}]}`), null);
  });

  for (const text of [
    '{}',
    '[]',
    '"events":[]',
    '{"events":{}}',
    '{"events":[null]}',
    '{"events":[1]}',
    '{"events":[{"tStartMs":-1}]}',
    '{"events":[{"tStartMs":1.5}]}',
    '{"events":[{"tStartMs":01}]}',
    '{"events":[{"tStartMs":"1"}]}',
    '{"events":[{"tStartMs":1,}]}',
    '{"events":[{"tStartMs":1}}',
    '{"events":[{"segs":{}}]}',
    '{"events":[{"segs":[{}]}]}',
    '{"events":[{"segs":[{"utf8":1}]}]}',
    '{"events":[{"segs":[{"utf8":"\\x"}]}]}',
    '{"events":[{"new":{"nested":1}}]}',
    '{"events":[{"segs":[{"utf8":","tOffsetMs":1}]}]}',
    '{"events":[]} and more',
  ])
    it(`leaves ${text} to the general reader`, () => {
      assert.equal(scanJson3(text), null);
    });

  it('reads the recorded documents', { skip: recordingsMissing }, () => {
    for (const path of [
      'timedtext/ko.asr.json3.json',
      'timedtext/ko.asr.tlang-zh.json3.json',
      'timedtext-constructed/asr.en.json3.json',
      'timedtext-constructed/edge.json3.json',
      'timedtext-constructed/manual.ar.json3.json',
    ])
      assert.deepEqual(scanJson3(recording(path)), readAnyJson3(recording(path)), path);
  });
});

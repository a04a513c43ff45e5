import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RawLine } from '#src/extraction/caption-line.ts';
import { readAnyXml } from '#src/extraction/caption-xml.ts';
import { scanXml } from '#src/extraction/caption-xml-scan.ts';
import { recording, recordingsMissing } from '#test/support/recordings.ts';

const written = fc
  .oneof(fc.constantFrom('\n', ' ', '-->', "it's", 'é', '音'), fc.string({ maxLength: 8 }))
  .map((text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
const tagged = fc.oneof(
  written,
  fc.constant('<br/>'),
  fc.constant('<i>x</i>'),
  written.map((text) => `<s>${text}</s>`),
  fc.tuple(fc.nat(9_999), written).map(([t, text]) => `<s t="${t}" ac="0">${text}</s>`),
);
const content = fc.array(tagged, { maxLength: 5 }).map((parts) => parts.join(''));
const further = fc.constantFrom('', ' w="1"', ' a="1"', ' append="1"', ' wp="2" ws="3" p="1"');
const seconds = fc.oneof(
  fc.nat(99_999).map(String),
  fc.tuple(fc.nat(99_999), fc.stringMatching(/^\d{1,3}$/)).map((parts) => parts.join('.')),
);
const srv1 = fc
  .record({ start: seconds, dur: fc.option(seconds), content })
  .map(
    ({ start, dur, content: inner }) =>
      `<text start="${start}"${dur === null ? '' : ` dur="${dur}"`}>${inner}</text>`,
  );
const srv3 = fc
  .record({
    name: fc.constantFrom('p', 'text'),
    t: fc.nat(),
    d: fc.option(fc.nat()),
    further,
    content,
  })
  .map(({ name, t, d, further: rest, content: inner }) => {
    const attributes = ` t="${t}"${d === null ? '' : ` d="${d}"`}${rest}`;
    return inner === '' ? `<${name}${attributes}/>` : `<${name}${attributes} >${inner}</${name}>`;
  });
const between = fc.constantFrom('', '\n', '<w t="0" id="1"/>', '<pen id="1" b="1"/>');
const rows = (line: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(between, line), { minLength: 1, maxLength: 8 })
    .map((parts) => parts.flat().join(''));
const document = fc.oneof(
  rows(srv1).map((body) => `<?xml version="1.0"?><transcript>${body}</transcript>`),
  rows(srv3).map((body) => `<timedtext format="3"><head/><body>${body}</body></timedtext>`),
);

/** What the general reader finds; null where it refuses the document. */
const general = (body: string): RawLine[] | null => {
  try {
    return readAnyXml(body);
  } catch {
    return null;
  }
};

describe('the quick reader of srv1, srv2 and srv3', () => {
  it('reads what the general reader reads', () => {
    fc.assert(
      fc.property(document, (text) => {
        const found = scanXml(text);
        // Nothing but appended line feeds: whether that is an empty document is for the general reader.
        assert.deepEqual(found ?? [], general(text));
      }),
      { seed: 5, numRuns: 1_000 },
    );
  });

  it('reads the same or nothing where a document is damaged', () => {
    const piece = fc.constantFrom(
      '',
      '<',
      '>',
      '"',
      '/',
      ' ',
      '=',
      's',
      '</p>',
      '<p',
      '-',
      '.',
      't="1"',
    );
    fc.assert(
      fc.property(document, fc.nat(), fc.nat(4), piece, (text, place, length, instead) => {
        const from = place % text.length;
        const damaged = text.slice(0, from) + instead + text.slice(from + length);
        const found = scanXml(damaged);
        if (found !== null) assert.deepEqual(found, general(damaged), damaged);
      }),
      { seed: 7, numRuns: 5_000 },
    );
  });

  for (const line of [
    '<text start="-1" dur="1">a</text>',
    '<text start="1e3" dur="1">a</text>',
    '<text start="1.2345" dur="1">a</text>',
    '<text start="" dur="1">a</text>',
    '<text dur="1">a</text>',
    '<text start="1" t="1">a</text>',
    '<text start="1" start="2">a</text>',
    "<text start='1'>a</text>",
    '<text start=1>a</text>',
    '<text\nstart="1">a</text>',
    '<text>a</text>',
    '<p t="99999999999999" d="1">a</p>',
    '<p t="90000000000" d="1">a</p>',
    '<p t="1" d="1"><strong>a</strong></p>',
    '<p t="1" d="1"><s\tp="1">a</s></p>',
    '<p t="1" d="1">a</s></p>',
    '',
  ])
    it(`leaves ${JSON.stringify(line)} to the general reader`, () => {
      assert.equal(scanXml(`<timedtext><body>${line}</body></timedtext>`), null);
    });

  it('reads the recorded documents', { skip: recordingsMissing }, () => {
    for (const path of [
      'timedtext/transcript.srv1.xml',
      'timedtext/zh-en.srv1.xml',
      'timedtext-constructed/asr.en.srv1.xml',
      'timedtext-constructed/asr.en.srv3.xml',
      'timedtext-constructed/edge.srv3.xml',
      'timedtext-constructed/manual.ar.srv1.xml',
      'formats/srv3/ruby.ytt',
    ]) {
      const found = scanXml(recording(path));
      assert.ok(found !== null, path);
      assert.deepEqual(found, readAnyXml(recording(path)), path);
    }
  });
});

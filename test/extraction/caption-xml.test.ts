import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readXml } from '#src/extraction/captions/caption-xml.ts';

const text = fc
  .oneof(fc.constantFrom('\n', ' ', '-->', "it's", 'é', '音'), fc.string({ maxLength: 8 }))
  .map((part) => part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
/** What is written, and what is to be read. */
const content = fc
  .array(
    fc.oneof(
      text.map((part) => [part, part] as const),
      fc.constantFrom(['<br/>', '<br/>'] as const, ['<i>x</i>', '<i>x</i>'] as const),
      text.map((part) => [`<s>${part}</s>`, part] as const),
      fc.tuple(fc.nat(9_999), text).map(([t, part]) => [`<s t="${t}" ac="0">${part}</s>`, part] as const),
    ),
    { maxLength: 5 },
  )
  .map((parts) => ({ written: parts.map(([part]) => part).join(''), read: parts.map(([, part]) => part).join('') }));
const further = fc.constantFrom('', ' w="1"', ' wp="2" ws="3" p="1"', " id='x'", ' w="1" ');
const srv1 = fc
  .record({ start: fc.nat(99_999_999), dur: fc.option(fc.nat(99_999)), further, content })
  .map(({ start, dur, further: rest, content: { written, read } }) => ({
    line: `<text start="${start / 1000}"${dur === null ? '' : ` dur="${dur / 1000}"`}${rest}>${written}</text>`,
    read: { text: read, startMs: start, durationMs: dur },
  }));
const srv3 = fc
  .record({ name: fc.constantFrom('p', 'text'), t: fc.nat(99_999_999), d: fc.option(fc.nat(99_999)), further, content })
  .map(({ name, t, d, further: rest, content: { written, read } }) => {
    const attributes = ` t="${t}"${d === null ? '' : ` d="${d}"`}${rest}`;
    return {
      line: written === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${written}</${name}>`,
      read: { text: read, startMs: t, durationMs: d },
    };
  });
const between = fc.constantFrom('', '\n', '<w t="0" id="1"/>', '<pen id="1" b="1"/>');
const rows = (line: typeof srv1) =>
  fc
    .array(fc.tuple(between, line), { minLength: 1, maxLength: 8 })
    .map((parts) => ({
      body: parts.map(([gap, each]) => gap + each.line).join(''),
      lines: parts.map(([, each]) => each.read),
    }));

describe('srv1, srv2 and srv3', () => {
  it('are read as written, whatever surrounds times, words and lines', () => {
    const srv1Property = fc.property(rows(srv1), ({ body, lines }) => {
      const document = `<?xml version="1.0"?><transcript>${body}</transcript>`;
      assert.deepEqual(readXml(document, '</transcript>'), lines);
    });
    const srv3Property = fc.property(rows(srv3), ({ body, lines }) => {
      const document = `<timedtext format="3"><head/><body>${body}</body></timedtext>`;
      assert.deepEqual(readXml(document, '</timedtext>'), lines);
    });
    fc.assert(srv1Property, { seed: 5, numRuns: 500 });
    fc.assert(srv3Property, { seed: 5, numRuns: 500 });
  });

  it('leave out an appended line that shows nothing', () => {
    const lines = '<p t="1" d="2">a</p><p t="3" d="4" a="1">\n</p><p t="5" d="6" a="1">b</p>';
    const read = readXml(`<timedtext><body>${lines}</body></timedtext>`, '</timedtext>');
    assert.deepEqual(
      read.map(({ text: shown }) => shown),
      ['a', 'b'],
    );
  });

  for (const [damage, line] of [
    ['a text between two lines', '<p t="1" d="2">a</p>b<p t="3" d="4">c</p>'],
    ['a time that is none', '<p t="1" d="2">a</p><text start="1.2.3" dur="1">b</text>'],
    ['a time without digits', '<p t="1" d="2">a</p><text start="." dur="1">b</text>'],
    ['a word in a tag', '<p t="1" d="2">a</p><p t="3<s>" d="4">b</p>'],
  ] as const)
    it(`refuse ${damage}`, () => {
      assert.throws(() => readXml(`<timedtext>${line}</timedtext>`, '</timedtext>'));
    });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { UnreadableCaptions } from '#src/extraction/captions/caption-line.ts';
import { readableText } from '#src/extraction/captions/caption-text.ts';
import type { Segment } from '#src/extraction/captions/caption-track.ts';
import { contentSha256, readCaptions } from '#src/extraction/captions/captions.ts';
import { anyText } from '#test/support/any-text.ts';
import { recording, recordingsMissing } from '#test/support/recordings.ts';

const manual = { isAutomatic: false };
const automatic = { isAutomatic: true };
const brief = (segments: readonly Segment[]) => segments.map(({ text, startMs }) => [startMs, text]);
const json3 = (...events: readonly object[]) => JSON.stringify({ wireMagic: 'pb3', events });
const event = (tStartMs: number, dDurationMs: number, utf8: string) => ({ tStartMs, dDurationMs, segs: [{ utf8 }] });

describe('recorded and constructed caption documents', { skip: recordingsMissing }, () => {
  if (recordingsMissing !== false) return;
  const of = (name: string) => recording(`timedtext-constructed/${name}`);

  for (const language of ['en', 'ar', 'ja'])
    it(`give the same manual ${language} lines in every format`, () => {
      const [first, ...others] = ['json3.json', 'srv1.xml', 'srv3.xml', 'vtt'].map((format) =>
        readCaptions(of(`manual.${language}.${format}`), manual),
      );
      assert.ok(first !== undefined && first.length > 50);
      for (const other of others) assert.deepEqual(brief(other), brief(first));
    });

  it('give the same automatic lines in json3, srv1 and srv3, to the hash', () => {
    const [first, ...others] = ['json3.json', 'srv1.xml', 'srv3.xml'].map((format) =>
      contentSha256(readCaptions(of(`asr.en.${format}`), automatic)),
    );
    for (const other of others) assert.equal(other, first);
  });

  it('give each rolling line of automatic WebVTT once', () => {
    const rolled = readCaptions(of('asr.en.vtt'), automatic);
    const plain = readCaptions(of('asr.en.json3.json'), automatic);
    assert.deepEqual(brief(rolled), brief(plain));
  });

  it('keep every line of every cue of WebVTT', () => {
    const [first, , third] = readCaptions(of('asr.en.vtt'), manual);
    assert.deepEqual([first?.text, third?.text], ['[Music]', '[Music] at the left we can see']);
  });

  it('join the recorded rolling captions that have color classes', () => {
    const texts = readCaptions(recording('formats/misc/webvtt-py__youtube_dl.vtt'), automatic).map(({ text }) => text);
    assert.deepEqual(texts.slice(0, 3), ['yeah', 'what', "this will happen is I'm telling"]);
    for (const [index, text] of texts.entries()) assert.notEqual(text, texts[index + 1]);
  });

  it('give the same edge cases in json3, srv1 and srv3', () => {
    const [first, ...others] = ['json3.json', 'srv1.xml', 'srv3.xml'].map((format) =>
      readCaptions(of(`edge.${format}`), manual),
    );
    assert.ok(first !== undefined);
    for (const other of others) assert.deepEqual(other, first);
    assert.deepEqual(brief(first), [
      [0, '[Music]'],
      [1500, '♪ la la la ♪'],
      [4000, 'It\'s "5 < 6" & AT&T'],
      [5000, 'Whispering (laughs) really?'],
      [7000, 'zero duration'],
      [10_000, '>> JOHN: two lines'],
      [12_000, '\u202bשלום, עולם!\u202c'],
      [13_000, 'مرحبا [موسيقى] بالعالم'],
      [14_000, '[音楽] こんにちは 😀👩‍👩‍👧'],
      [15_000, 'starts earlier'],
      [15_500, 'out of order comes next'],
      [16_000, "& already escaped 'twice'"],
      [17_000, 'array[0] = f(x) stays'],
      [18_000, 'eleven hours on screen'],
    ]);
  });

  it('end recorded Korean automatic captions at the next start and keep their text', () => {
    const segments = readCaptions(recording('timedtext/ko.asr.json3.json'), automatic);
    assert.deepEqual(brief(segments.slice(0, 2)), [
      [620, '[음악]'],
      [14_760, '[웃음]'],
    ]);
    assert.equal(segments[0]?.durationMs, 21_440);
    assert.equal(segments[0]?.endMs, 14_760);
    for (const [index, segment] of segments.entries())
      assert.ok(segment.endMs <= (segments[index + 1]?.startMs ?? Number.POSITIVE_INFINITY));
  });

  it('read srv1 with inline tags, an empty line and overlaps', () => {
    assert.deepEqual(readCaptions(recording('timedtext/transcript.srv1.xml'), manual), [
      { text: 'Hey, this is just a test', startMs: 0, durationMs: 1540, endMs: 1540 },
      { text: 'this is not the original transcript', startMs: 1540, durationMs: 4160, endMs: 5700 },
      { text: 'just something shorter, I made up for testing', startMs: 5700, durationMs: 3239, endMs: 8939 },
    ]);
    assert.deepEqual(brief(readCaptions(recording('timedtext/zh-en.srv1.xml'), manual))[0], [
      6500,
      '[Herb, Software Engineer] 本影片包含隱藏式字幕。',
    ]);
  });

  it('read srv3 that converters wrote', () => {
    for (const name of ['ruby', 'simultaneous', 'colors', 'alignment', 'bolditalicunderline']) {
      const segments = readCaptions(recording(`formats/srv3/${name}.ytt`), manual);
      assert.ok(segments.length > 0, name);
      for (const { text } of segments) assert.doesNotMatch(text, /<\/?s|\u200b/);
    }
  });

  it('contain a line once that converters repeat for each color of a shadow', () => {
    const lines = readCaptions(recording('formats/srv3/colors.ytt'), manual).map(
      ({ startMs, endMs, text }) => `${startMs} ${endMs} ${text}`,
    );
    assert.equal(lines.filter((line) => line.endsWith(' Karaoke')).length, 1);
    assert.equal(new Set(lines).size, lines.length);
  });

  it('have no text if the document has no events', () => {
    assert.deepEqual(readCaptions(of('json3-empty.json'), manual), []);
  });

  it('are refused as a whole when they are truncated, HTML, or not captions', () => {
    for (const body of [
      of('manual.en.json3.json').slice(0, 2_000),
      of('manual.en.srv1.xml').slice(0, 2_000),
      of('asr.en.srv3.xml').slice(0, 2_000),
      of('error-404.html'),
      of('get_transcript-400.json'),
      recording('html/captcha-429.html'),
      '',
      'garbled \u0000 bytes',
      '[]',
      '{}',
      '{"events":{}}',
      '{"events":[{"tStartMs":"620","segs":[{"utf8":"a"}]}]}',
      '{"events":[{"tStartMs":-1,"segs":[{"utf8":"a"}]}]}',
      '{"events":[{"tStartMs":1,"segs":[{"utf8":7}]}]}',
      '{"events":[{"tStartMs":1,"dDurationMs":"5","segs":[{"utf8":"a"}]}]}',
      '<transcript><text start="1" dur="long">never</text></transcript>',
      '{"events":[{"tStartMs":90000000000,"segs":[{"utf8":"after three years"}]}]}',
      '<transcript><text start="1e300" dur="1">never</text></transcript>',
      '<transcript><text dur="1">no start</text></transcript>',
      'WEBVTT\n\n99999999:00:00.000 --> 99999999:00:01.000\nafter ten thousand years\n',
    ])
      assert.throws(() => readCaptions(body, manual), UnreadableCaptions, body.slice(0, 40));
  });
});

describe('caption documents', () => {
  it('are refused, not considered empty, when their text has other member names', () => {
    for (const body of [
      '{"wireMagic":"pb3","events":[{"tStartMs":0,"segments":[{"utf8":"a"}]}]}',
      '{"wireMagic":"pb3","events":[{"tStartMs":0,"text":"a"}]}',
      '{"wireMagic":"pb3","events":[{"tStartMs":0,"segs":[{"text":"a"}]}]}',
      '{"wireMagic":"pb3","cues":[{"tStartMs":0,"segs":[{"utf8":"a"}]}]}',
      '{"events":[{"startMs":10,"segs":[{"utf8":"a"}]},{"startMs":20,"segs":[{"utf8":"b"}]}]}',
      '{"events":[{"tStartMs":10,"segs":[{"utf8":"a"}]},{"tStartMs":20,"words":[{"utf8":"b"}]}]}',
      '{"events":[{"tStartMs":10,"segs":[{"utf8":"a"}]},{"tStartMs":20,"text":"b"}]}',
      '{"events":[{"tStartMs":10,"segs":[{"utf8":"a"}]},null]}',
      '<transcript><line start="1" dur="1">a</line></transcript>',
      '<transcript><text start="1" dur="1">a</text><line start="2" dur="1">b</line></transcript>',
      '<transcript><text start="1" dur="1">a</text>\n b \n</transcript>',
      '<transcript><line start="1" dur="1">a</line><text start="2" dur="1">b</text></transcript>',
      '<transcript><text start="1" dur="1"><![CDATA[a]]></text></transcript>',
      '<timedtext format="3"><body><p t="1" d="1">a</p><q t="2" d="1"><s>b</s></q></body></timedtext>',
      '<timedtext format="4"><body><q t="1" d="1">a</q></body></timedtext>',
      'WEBVTT\n\n0.000 --> 1.000\na\n',
    ])
      assert.throws(() => readCaptions(body, manual), UnreadableCaptions, body);
  });

  it('have the same times however their attributes are written', () => {
    for (const attributes of [
      'start="1.5" dur="2"',
      "start='1.5' dur='2'",
      'start="1.5"\n\tdur="2"',
      'dur = "2" start= "1.5"',
      'start="1.5" dur="2" start="9" dur="9"',
      'restart="9" start="1.5" dur="2"',
    ]) {
      const body = `<transcript><text ${attributes}>a</text></transcript>`;
      const [line] = readCaptions(body, manual);
      assert.deepEqual([line?.startMs, line?.durationMs], [1_500, 2_000], attributes);
    }
  });

  it('are empty if they contain only windows, blank lines and direction marks', () => {
    for (const body of [
      '{"wireMagic":"pb3","pens":[{}],"wsWinStyles":[{}],"wpWinPositions":[{}]}',
      '{"wireMagic":"pb3","events":[{"tStartMs":0,"dDurationMs":9,"id":1,"wpWinPosId":1}]}',
      json3(event(0, 900, ' \n '), event(900, 900, '\u202b\u202c'), event(1_800, 900, '\u200e')),
      '<transcript> </transcript>',
      '<timedtext format="3"><head><ws id="0"/></head><body><w t="0" id="1"/></body></timedtext>',
      'WEBVTT\nKind: captions\n\nNOTE nothing here\n',
    ])
      assert.deepEqual(readCaptions(body, automatic), [], body);
  });
});

describe('the text of a line', () => {
  for (const [raw, text] of [
    ['plain', 'plain'],
    ['a\r\nb\tc  d', 'a b c d'],
    ['&amp;#39;twice&amp;#39; &#x2019;', "'twice' ’"],
    ['&amp;amp;amp; three', '& three'],
    ['&&amp;&#38;quot; &AMP; &#39 &#x26;lt;', '&&" & &#39 <'],
    ['&#38;&#97;mp;gt;', '>'],
    ['&unknown; &#0; &#xD800; &#x110000; AT&T', '&unknown;    AT&T'.replace(/ +/g, ' ')],
    ['<i>a</i> <font color="#fff">b</font><br>c', 'a b c'],
    ['<c.colorE5E5E5> d</c><00:00:01.000><c> e</c>', 'd e'],
    ['<v Fred>Hi</v>', 'Hi'],
    ['vector<int> and 5 < 6 > 4', 'vector<int> and 5 < 6 > 4'],
    ['if a <b and c> d', 'if a <b and c> d'],
    ['<b class="x">a</b> <i >b</i> <p\nalign=left>c', 'a b c'],
    ['thank you\n[Applause]\r\n[Music]\t[K]', 'thank you [Applause] [Music] [K]'],
    ['{\\an8}Top', 'Top'],
    ['{ "a": 1 }', '{ "a": 1 }'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['nul\u0000 wakeSignal\u0007', 'nul wakeSignal'],
    ['zero\u200bwidth\ufeff', 'zerowidth'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['e\u0301', 'é'],
    ['lone \ud800 half', 'lone \ufffd half'],
    ['\u00a0 \u2028', ''],
    ['\u3000全角', '全角'],
  ] as const)
    it(`is ${JSON.stringify(text)} for ${JSON.stringify(raw)}`, () => {
      assert.equal(readableText(raw), text);
    });

  it('keeps every word, whatever separates the words', () => {
    const word = fc.stringMatching(/^[\w.,!?'"()[\]#*♪-]{1,8}$/);
    const between = fc.constantFrom('\n', '\r\n', '\t', ' ', '<br>', '\u00a0', ' \u2028');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, between), { minLength: 1 }), (parts) => {
        const words = parts.map(([each]) => each.normalize('NFC'));
        assert.equal(readableText(parts.flat().join('')), words.join(' '));
      }),
      { seed: 5, numRuns: 500 },
    );
  });

  it('is well formed, on one line and stable, for any input', () => {
    fc.assert(
      fc.property(anyText(), (raw) => {
        const text = readableText(raw);
        return text.isWellFormed() && !/\p{Cc}/u.test(text) && text === text.trim();
      }),
      { seed: 11, numRuns: 2_000 },
    );
  });
});

describe('lines', () => {
  it('keep the times of manual captions even where they overlap', () => {
    const body = json3(event(0, 5_000, 'a'), event(1_000, 5_000, 'b'));
    assert.deepEqual(
      readCaptions(body, manual).map(({ endMs }) => endMs),
      [5_000, 6_000],
    );
    assert.deepEqual(
      readCaptions(body, automatic).map(({ endMs, durationMs }) => [endMs, durationMs]),
      [
        [1_000, 5_000],
        [6_000, 5_000],
      ],
    );
  });

  it('that begin together end at the first later start', () => {
    const body = json3(event(0, 9_000, 'a'), event(0, 9_000, 'b'), event(2_000, 1_000, 'c'));
    assert.deepEqual(
      readCaptions(body, automatic).map(({ endMs }) => endMs),
      [2_000, 2_000, 3_000],
    );
  });

  it('without a duration last until the next one', () => {
    const body = json3({ tStartMs: 0, segs: [{ utf8: 'a' }] }, event(2_000, 1_000, 'b'));
    assert.deepEqual(
      readCaptions(body, manual).map(({ durationMs }) => durationMs),
      [2_000, 1_000],
    );
  });

  it('that begin together without a duration last until the first later start', () => {
    const open = (tStartMs: number, utf8: string) => ({ tStartMs, segs: [{ utf8 }] });
    assert.deepEqual(
      readCaptions(json3(open(0, 'a'), open(0, 'b'), open(2_000, 'c')), manual).map(({ endMs, durationMs }) => [
        endMs,
        durationMs,
      ]),
      [
        [2_000, 2_000],
        [2_000, 2_000],
        [2_000, 0],
      ],
    );
  });

  it('with an invalid duration last until the next one, in every format', () => {
    for (const [given, written] of [
      [-5, '-0.005'],
      [90_000_000_000, '90000000'],
    ] as const)
      for (const body of [
        json3(event(0, given, 'a'), event(2_000, 1_000, 'b')),
        `<transcript><text start="0" dur="${written}">a</text><text start="2" dur="1">b</text></transcript>`,
        `<timedtext><body><p t="0" d="${given}">a</p><p t="2000" d="1000">b</p></body></timedtext>`,
      ])
        assert.deepEqual(
          readCaptions(body, manual).map(({ startMs, durationMs, endMs }) => [startMs, durationMs, endMs]),
          [
            [0, 2_000, 2_000],
            [2_000, 1_000, 3_000],
          ],
          body,
        );
  });

  it('with the same text at the same time appear once', () => {
    const body = json3(
      event(1_000, 900, 'over'),
      event(1_000, 900, 'out'),
      event(1_000, 900, 'over'),
      event(1_000, 800, 'over'),
      event(1_500, 900, 'over'),
      event(1_000, 900, 'out'),
    );
    assert.deepEqual(
      readCaptions(body, manual).map(({ startMs, durationMs, text }) => [startMs, durationMs, text]),
      [
        [1_000, 900, 'over'],
        [1_000, 900, 'out'],
        [1_000, 800, 'over'],
        [1_500, 900, 'over'],
      ],
    );
  });

  it('of WebVTT keep their text where they end before they begin, or hours have one digit or three', () => {
    const cues = [
      ['00:00:05.000 --> 00:00:02.000', 'a'],
      ['00:00:06.000 --> 00:00:07.000 align:start position:0%', 'b'],
      ['1:00:00.000 --> 1:00:01.000', 'c'],
      ['100:00:00.000 --> 100:00:01.500', 'd'],
    ];
    const body = `WEBVTT\n\n${cues.map((cue) => cue.join('\n')).join('\n\n')}\n`;
    assert.deepEqual(
      readCaptions(body, manual).map(({ startMs, endMs, text }) => [startMs, endMs, text]),
      [
        [5_000, 6_000, 'a'],
        [6_000, 7_000, 'b'],
        [3_600_000, 3_601_000, 'c'],
        [360_000_000, 360_001_500, 'd'],
      ],
    );
  });

  it('of rolling WebVTT never end before they begin: if one would, it lasts until the next', () => {
    const cues = [
      ['00:00:05.000 --> 00:00:02.000', 'a'],
      ['00:00:06.000 --> 00:00:08.000', 'b'],
      ['00:00:08.000 --> 00:00:02.000', 'b\nc'],
      ['00:00:09.000 --> 999999:00:00.000', 'd'],
      ['00:00:10.000 --> 00:00:11.000', 'e'],
    ];
    const body = `WEBVTT\n\n${cues.map((cue) => cue.join('\n')).join('\n\n')}\n`;
    assert.deepEqual(
      readCaptions(body, automatic).map((each) => [each.startMs, each.durationMs, each.text]),
      [
        [5_000, 1_000, 'a'],
        [6_000, 2_000, 'b'],
        [8_000, 1_000, 'c'],
        [9_000, 1_000, 'd'],
        [10_000, 1_000, 'e'],
      ],
    );
  });

  it('that are appended keep their text, but not their line feeds', () => {
    const body = json3(
      event(0, 900, 'a'),
      { ...event(1_000, 900, '\n'), aAppend: 1 },
      { ...event(2_000, 900, 'b'), aAppend: 1 },
    );
    assert.deepEqual(brief(readCaptions(body, automatic)), [
      [0, 'a'],
      [2_000, 'b'],
    ]);
  });

  it('are the same in json3, srv1 and srv3, whatever their texts', () => {
    const odd = fc.constantFrom('-->', '</p>', '</text>', ']]>', '<!--', '&lt;', '\n[A', '"', '\\');
    const text = fc
      .array(fc.oneof(odd, fc.string({ unit: 'grapheme', maxLength: 8 })), { maxLength: 4 })
      // XML has no way to write the other control characters.
      .map((parts) => parts.join('').replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, ''));
    const rows = fc.array(fc.record({ t: fc.nat(99_999), d: fc.nat(9_999), text }));
    const xml = (raw: string) => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    fc.assert(
      fc.property(rows, fc.boolean(), (lines, isAutomatic) => {
        const srv3 = lines.map((one) => `<p t="${one.t}" d="${one.d}">${xml(one.text)}</p>`);
        const srv1 = lines.map(
          (one) => `<text start="${one.t / 1000}" dur="${one.d / 1000}">${xml(xml(one.text))}</text>`,
        );
        const given = json3(...lines.map((one) => event(one.t, one.d, one.text)));
        const found = readCaptions(given, { isAutomatic });
        for (const body of [
          `<timedtext format="3"><body>${srv3.join('\n')}</body></timedtext>`,
          `<transcript>${srv1.join('')}</transcript>`,
        ])
          assert.deepEqual(readCaptions(body, { isAutomatic }), found);
      }),
      { seed: 9, numRuns: 200 },
    );
  });

  it('are in order, never empty and end no earlier than they start, for any document', () => {
    const events = fc.array(
      fc.record({
        tStartMs: fc.nat(100_000),
        dDurationMs: fc.nat(10_000),
        segs: fc.array(fc.record({ utf8: fc.string() }), { maxLength: 4 }),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(events, fc.boolean(), (rows, isAutomatic) => {
        const segments = readCaptions(json3(...rows), { isAutomatic });
        let last = 0;
        for (const { startMs, endMs, text } of segments) {
          assert.ok(startMs >= last && endMs >= startMs && text !== '');
          last = startMs;
        }
      }),
      { seed: 3, numRuns: 300 },
    );
  });
});

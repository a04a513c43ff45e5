import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { escapeMarkdown, toMarkdown } from '#src/transcripts/formats/markdown.ts';
import { cuesOf, transcriptOf } from '../sample-transcript.ts';

const plain = { timestamps: false };

describe('Markdown', () => {
  it('begins with title, channel, link and language, followed by paragraphs', () => {
    const cues = [
      { text: 'Good evening.', startMs: 0, endMs: 1000 },
      { text: 'It is late.', startMs: 1100, endMs: 2000 },
      { text: 'After a pause.', startMs: 4000, endMs: 5000 },
    ];
    assert.equal(
      toMarkdown(transcriptOf(cues), plain),
      [
        '# How a lighthouse speaks',
        '',
        '- Channel: [Harbour Notes](https://www.youtube.com/channel/UCharbournotes0000000001)',
        '- Video: <https://www.youtube.com/watch?v=lighthouse1>',
        '- Language: en (manual)',
        '',
        'Good evening.',
        'It is late.',
        '',
        'After a pause.',
        '',
      ].join('\n'),
    );
  });

  it('links each time to its second if requested', () => {
    const [, second = ''] = cuesOf('a', 'two\nlines').map(
      (_, index, all) => toMarkdown(transcriptOf(all), { timestamps: true }).split('\n').slice(6)[index] ?? '',
    );
    assert.equal(second, '- [00:02](https://www.youtube.com/watch?v=lighthouse1&t=2s) two lines');
  });

  it('ends a paragraph with a sentence from eight captions on, and at twenty-four at the latest', () => {
    const paragraphs = (texts: readonly string[]) => {
      const cues = texts.map((text, at) => ({ text, startMs: at * 1_000, endMs: at * 1_000 + 900 }));
      const [, , ...body] = toMarkdown(transcriptOf(cues), plain).split('\n\n');
      return body.map((one) => one.trimEnd().split('\n').length);
    };
    assert.deepEqual(paragraphs(Array.from({ length: 18 }, () => 'A sentence.')), [8, 8, 2]);
    assert.deepEqual(paragraphs(Array.from({ length: 50 }, () => 'no sentence')), [24, 24, 2]);
    const late = Array.from({ length: 20 }, (_, at) => (at === 9 ? 'It “ends.”' : 'goes on'));
    assert.deepEqual(paragraphs(late), [10, 10]);
  });

  it('begins a paragraph after two seconds of silence, and links the second in which it begins', () => {
    const cues = [
      { text: 'one', startMs: 0, endMs: 1_000 },
      { text: 'two', startMs: 2_999, endMs: 3_000 },
      { text: 'three', startMs: 5_000, endMs: 6_000 },
    ];
    assert.match(toMarkdown(transcriptOf(cues), plain), /\none\ntwo\n\nthree\n$/);
    assert.match(toMarkdown(transcriptOf(cues), { timestamps: true }), /&t=2s\) two\n/);
  });

  it('tolerates unknown values', () => {
    const unknown = { title: null, channel: null, channelId: null, language: null };
    assert.equal(
      toMarkdown(transcriptOf([], unknown), plain),
      '# lighthouse1\n\n- Video: <https://www.youtube.com/watch?v=lighthouse1>\n',
    );
  });

  it('shows foreign text as it is and lets nothing of it become markup', () => {
    const cases: Record<string, string> = {
      '<script>alert(1)</script>': '&lt;script&gt;alert(1)&lt;/script&gt;',
      '[x](javascript:alert(1))': '\\[x\\](javascript:alert(1))',
      '![x](http://a.b/c.png)': '!\\[x\\](http\\://a.b/c.png)',
      '# heading': '\\# heading',
      '- item': '\\- item',
      '+ item': '\\+ item',
      '=====': '\\=====',
      '---': '\\---',
      '12. item': '12\\. item',
      '1) item': '1\\) item',
      '> quote': '&gt; quote',
      '*a* _b_ `c` ~~d~~ | e': '\\*a\\* \\_b\\_ \\`c\\` \\~\\~d\\~\\~ \\| e',
      '&lt;b&gt;': '&amp;lt;b&amp;gt;',
      'https://evil.example www.evil.example': 'https\\://evil.example www\\.evil.example',
      'www.a.example WWW.b.example': 'www\\.a.example WWW\\.b.example',
      'cost $5 and $6': 'cost \\$5 and \\$6',
      'write to me@evil.example': 'write to me\\@evil.example',
      'back\\slash': 'back\\\\slash',
      'It was 1986. A good year - really.': 'It was 1986. A good year - really.',
    };
    for (const [text, escaped] of Object.entries(cases)) assert.equal(escapeMarkdown(text), escaped);
  });

  it('keeps hostile titles, channels and addresses within their places', () => {
    const file = toMarkdown(
      transcriptOf(cuesOf('a'), {
        title: '](x) <img src=x onerror=alert(1)>\n# second heading',
        channel: '[a](b)\n- list',
        channelId: ')](javascript:x',
        url: 'https://x.example/> <script>',
        language: '<en>',
      }),
      { timestamps: true },
    );
    assert.equal(file.includes('<script'), false);
    assert.equal(file.includes('<img'), false);
    assert.match(file, /^# \\\]\(x\) &lt;img src=x onerror=alert\(1\)&gt; # second heading\n\n/);
    assert.match(file, /\/channel\/%29%5D%28javascript:x\)\n/i);
    assert.match(file, /- Video: <https:\/\/x\.example\/%3E%20%3Cscript%3E>\n/);
  });

  // S65: markup, escape sequences and bidirectional overrides in captions
  it('leaves no character of markup unescaped, whatever the text', () => {
    const text = fc.string({ unit: fc.constantFrom(...'<>&[]()*_`#-+=|~\\$!:/w. \n1a'), maxLength: 40 });
    fc.assert(
      fc.property(text, (words) => {
        const [, , , , , , ...body] = toMarkdown(transcriptOf(cuesOf(words)), plain).split('\n');
        for (const line of body) {
          const bare = line.replace(/\\[!-/:-@[-`{-~]/g, 'x').replace(/&(?:amp|lt|gt);/g, 'x');
          assert.doesNotMatch(bare, /[<>&[\]*_`|~$\\]|^[#+=-]|^\d+[.)]|:\/\/|\bwww\./);
        }
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

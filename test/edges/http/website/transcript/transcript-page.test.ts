import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PageContext } from '#src/edges/http/website/layout.tsx';
import { type TranscriptView, transcriptPage } from '#src/edges/http/website/transcript/transcript-page.tsx';
import { wordsOf } from '#src/edges/http/website/words.ts';

const context: PageContext = {
  words: wordsOf('en'),
  assets: { style: '/s.css', script: '/s.js', icon: '/i.svg', card: '/c.png' },
  ...{ url: '/t/vid-0000001', publicUrl: 'https://steno.example', user: null },
};

const cues = [{ text: 'Hello', startMs: 0, endMs: 1_000 }];

const view: TranscriptView = {
  transcript: {
    ...{ videoId: 'vid-0000001', title: 'Harbour notes', channel: null, channelId: null, cues },
    ...{ url: 'https://example.com', durationS: 10, language: 'en', requestedLanguage: null, source: 'manual' },
  },
  ...{ chosen: {}, available: ['en'], isClean: false, hasTimes: true, isReading: false },
  ...{ headings: null, chapters: null, headingsPrice: 1, creditsCharged: 1, receiptUrl: null },
  ...{ quotedSecond: null, readAt: '2026-01-01T10:00:00Z', paidLanguages: [] },
};

describe('the page of a transcript that is cached for visitors', () => {
  it('is the page that would be rendered for each of them alone', () => {
    const asked: readonly (readonly [PageContext, TranscriptView])[] = [
      [context, view],
      [{ ...context, words: wordsOf('de') }, view],
      [{ ...context, url: '/t/vid-0000001?ui=en' }, view],
      [
        { ...context, user: { accountId: 'acc_1' } },
        { ...view, receiptUrl: '/account/ledger/1' },
      ],
      [context, { ...view, paidLanguages: ['en'] }],
      [context, { ...view, readAt: '2026-01-02T00:00:00Z' }],
      [context, { ...view, hasTimes: false }],
      [context, { ...view, isReading: true }],
    ];
    // The token of a form is another one each time.
    const pageOf = (...input: Parameters<typeof transcriptPage>) =>
      transcriptPage(...input)
        .join('')
        .replace(/value="[^"]{30,}"/g, '');
    for (const [who, what] of [...asked, ...asked]) {
      const alone = { ...what, transcript: { ...what.transcript, cues: [...cues] } };
      assert.equal(pageOf(who, what), pageOf(who, alone));
    }
  });
});

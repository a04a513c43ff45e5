import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PageLanguage } from '#src/contract/languages.ts';
import { webhooksPage } from '#src/edges/http/website/webhooks/webhooks-page.tsx';
import { wordsOf } from '#src/edges/http/website/words.ts';
import type { ShownWebhook } from '#src/queries.ts';

const webhook: ShownWebhook = {
  webhookId: 'whk_1',
  url: 'https://hooks.example/steno',
  kinds: ['job.completed', 'job.failed'],
  description: null,
  isActive: true,
  disabledReason: null,
  createdAt: '2026-11-01T00:00:00.000Z',
  enabledAt: '2026-11-01T00:00:00.000Z',
};

const shownIn = (language: PageLanguage): string =>
  webhooksPage(
    {
      words: wordsOf(language),
      assets: { style: '/s.css', script: '/s.js', icon: '/i.svg', card: '/c.png' },
      url: '/account/webhooks',
      publicUrl: 'https://steno.example',
      user: { accountId: 'acc_1' },
    },
    { webhooks: [webhook], secret: null, isMadeBefore: false, refused: null },
  );

describe('the page of webhooks', () => {
  it('lists the events of a receiver as the language of the page does', () => {
    assert.match(shownIn('en'), /job\.completed, job\.failed</);
    assert.match(shownIn('ja'), /job\.completed、job\.failed</);
    assert.match(shownIn('zh'), /job\.completed、job\.failed</);
  });
});

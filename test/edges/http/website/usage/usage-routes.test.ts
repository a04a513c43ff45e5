import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lists } from '#test/simulator/collections.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp } from '#test/support/app.ts';
import { over } from '#test/support/job-watch.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';

type Usage = {
  readonly requests: number;
  readonly daily: readonly { readonly day: string; readonly count: number }[];
  readonly by_kind: readonly { readonly kind: string; readonly count: number }[];
};

describe('the page of usage', () => {
  it('leads from each bar to exactly the ledger entries that it counts', async () => {
    await using app = await startTestApp();
    const user = { email: 'bars@example.org', password: plantedPassword('bars') };
    const { apiKey: key } = await app.core.commands.createAccount({
      ...{ ...user, name: null, plan: 'free' },
    });
    await app.get(`/v1/transcripts/${samples.prose}`, { key });
    await app.get(`/v1/transcripts/${samples.private}`, { key });
    const link = `https://www.youtube.com/playlist?list=${lists.mixed}`;
    const made = await app.post('/v1/jobs', { ids: [link] }, { key });
    await over(app, key, ((await made.json()) as { job_id: string }).job_id);
    const signedIn = await fetch(`${app.url}/login`, {
      method: 'POST',
      headers: { Accept: 'text/html', Origin: app.url },
      body: new URLSearchParams(user),
      redirect: 'manual',
    });
    const session = (signedIn.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    planted(session.split('=')[1] ?? '');
    const visit = async (path: string) => (await fetch(app.url + path, { headers: { Cookie: session } })).text();

    // Both are of the same seven days.
    let today: string;
    let page: string;
    let usage: Usage;
    do {
      today = new Date().toISOString().slice(0, 10);
      page = await visit('/account/usage?days=7');
      usage = (await (await app.get('/v1/usage?days=7', { key })).json()) as Usage;
    } while (!new Date().toISOString().startsWith(today));
    const hrefs = [...page.matchAll(/href="(\/account\/ledger\?[^"]*)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    );
    assert.ok(usage.requests > 5);
    for (const href of hrefs) {
      const entries = (await visit(href)).match(/<td[^>]*><a href="\/account\/ledger\/[0-9a-f-]+"/g) ?? [];
      const query = new URLSearchParams(href.split('?')[1]);
      const kind = usage.by_kind.find((one) => one.kind === query.get('kind'));
      const ofDay = usage.daily.find(({ day }) => day === query.get('day'))?.count ?? 0;
      const expected = query.has('day') ? ofDay : (kind?.count ?? usage.requests);
      assert.equal(entries.length, expected, href);
    }
    assert.ok(hrefs.length >= 7 + usage.by_kind.length + 1, `${hrefs.length} bars`);
  });
});

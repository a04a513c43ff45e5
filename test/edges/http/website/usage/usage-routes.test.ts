import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemCall } from '#src/app/open-core.ts';
import { lists } from '#test/simulator/collections.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp } from '#test/support/app.ts';
import { over } from '#test/support/job-watch.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';

type Usage = {
  readonly requests: number;
  readonly daily: readonly { readonly day: string; readonly count: number; readonly credits: number }[];
  readonly by_kind: readonly { readonly kind: string; readonly count: number; readonly credits: number }[];
};

describe('the page of usage', () => {
  it('leads from each bar to exactly the ledger entries that it counts', async () => {
    await using app = await startTestApp();
    const user = { email: 'bars@example.org', password: plantedPassword('bars') };
    const { accountId, apiKey: key } = await app.core.commands.createAccount({ ...user, name: null, plan: 'free' });
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
    const visit = async (path: string) =>
      (await fetch(app.url + path, { headers: { Accept: 'text/html', Cookie: session } })).text();

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

    const file = (await visit('/account/usage?days=7&format=csv')).trimEnd().split('\r\n');
    assert.equal(file[0], 'by,name,requests,credits');
    assert.ok(page.includes('href="/account/usage?days=7&amp;format=csv"'));
    assert.deepEqual(
      file.filter((row) => /^(day|operation),/.test(row)),
      [
        ...usage.daily.map(({ day, count, credits }) => `day,${day},${count},${credits}`),
        ...usage.by_kind.map(({ kind, count, credits }) => `operation,${kind},${count},${credits}`),
      ],
    );

    const ofKey = await visit(`/account/ledger?day=${usage.daily.at(-1)?.day}&key_id=none`);
    assert.match(ofKey, /href="\/account\/ledger\?day=[\d-]+&amp;key_id=key_[^"]+"/);
    assert.match(ofKey, /key_id=none" aria-current="true"/);

    const list = await visit('/account/statements');
    const [, period = ''] = /href="\/account\/statements\/(\d{4}-\d{2}-\d{2})"/.exec(list) ?? [];
    const statement = await visit(`/account/statements/${period}`);
    assert.match(statement, /<h1>Statement [A-Z][a-z]{2} \d{1,2}, \d{4}<\/h1>[\s\S]*provisional[\s\S]*Closing balance/);
    for (const format of ['csv', 'json']) {
      const own = await visit(`/account/statements/${period}?format=${format}`);
      assert.equal(own, await (await app.get(`/v1/statements/${period}?format=${format}`, { key })).text());
    }
    const { entries } = (await (await app.get('/v1/ledger', { key })).json()) as {
      entries: { id: string; type: string }[];
    };
    const charge = entries.find(({ type }) => type === 'CreditsCharged')?.id ?? '';
    assert.ok((await visit(`/account/ledger/${charge}`)).includes(`href="/account/ledger/${charge}/receipt"`));
    assert.equal(
      await visit(`/account/ledger/${charge}/receipt`),
      await (await app.get(`/v1/receipts/${charge}`, { key })).text(),
    );
    const opened = entries.find(({ type }) => type === 'BookOpened')?.id ?? '';
    assert.doesNotMatch(await visit(`/account/ledger/${opened}`), /\/receipt"/);
    const refund = { refundId: 'once', chargeId: charge, amount: 1, why: 'by_operator' };
    await app.core.commands.refundCharge(systemCall(accountId), refund);
    const refunded = await visit(`/account/statements/${period}?ui=de`);
    assert.match(refunded, /Erstattungen[\s\S]*Durch den Betreiber/);
    assert.doesNotMatch(refunded, /by_operator/);
    const statusOf = async (path: string) => (await fetch(app.url + path, { headers: { Cookie: session } })).status;
    for (const [path, status] of [
      ['/account/statements/2020-01-01', 404],
      ['/account/statements/yesterday', 400],
      [`/account/statements/${period}?format=xml`, 400],
      [`/account/ledger/${opened}/receipt`, 404],
      ['/account/ledger/00000000-0000-5000-8000-000000000000/receipt', 404],
      ['/account/usage?days=366', 200],
      ['/account/usage?days=', 200],
      ['/account/usage?days=1e2', 400],
      ['/account/security?before=1e2', 200],
    ] as const) {
      assert.equal(await statusOf(path), status, path);
    }
    const refused = await visit('/account/usage?days=400&ui=en');
    assert.match(refused, /This number can be at most 366: Period\./);
  });
});

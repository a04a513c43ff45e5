import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { onceToken } from '#src/edges/http/website/parts/form-key.ts';
import { samples } from '#test/simulator/samples.ts';
import { type AiProvider, spoken, startAiProvider } from '#test/support/ai-provider.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { headingAboveText } from '#test/support/website.ts';

const mute = 'no-captions';
const own = { 'Sec-Fetch-Site': 'same-origin' };
const freeNote = /0: already read today/;

let app: TestApp;
let provider: AiProvider;
const stack = new AsyncDisposableStack();
before(async () => {
  provider = stack.use(await startAiProvider());
  app = stack.use(
    await startTestApp({
      environment: {
        OPENAI_BASE_URL: provider.url,
        AI_TRANSCRIPTION_MODEL: 'hears',
        UNAUTHENTICATED_REQUESTS_PER_MINUTE: '5000',
      },
    }),
  );
});
after(() => stack[Symbol.asyncDispose]());

let readers = 0;

/** Somebody who is signed in, and what pages cost. */
const signedIn = async () => {
  readers += 1;
  const email = `reader-${readers}@example.org`;
  const password = plantedPassword(`reader-${readers}`);
  const made = { email, password, name: null, plan: 'free' } as const;
  const { accountId, apiKey } = await app.core.commands.createAccount(made);
  const answer = await fetch(`${app.url}/login`, {
    method: 'POST',
    headers: { Accept: 'text/html', Origin: app.url },
    body: new URLSearchParams({ email, password }),
    redirect: 'manual',
  });
  const cookie = planted((answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '');
  const left = async () => (await app.core.queries.creditsRemaining(accountId)) ?? 0;
  const included = await left();
  return { ...reader(cookie), key: apiKey, accountId, spent: async () => included - (await left()) };
};

const reader = (cookie: string) => {
  const headers = { Accept: 'text/html', ...(cookie === '' ? {} : { Cookie: cookie }) };
  return {
    visit: (path: string, more: Record<string, string> = own) =>
      fetch(`${app.url}${path}`, { headers: { ...headers, ...more } }),
    send: (path: string, form: Record<string, string>) =>
      fetch(`${app.url}${path}`, {
        method: 'POST',
        headers: { ...headers, Origin: app.url },
        body: new URLSearchParams({ once: onceToken(), ...form }),
      }),
  };
};

/** A visitor with a cookie. */
const visitor = async () => {
  const free = await fetch(`${app.url}/api/public/transcripts/${samples.prose}/languages`);
  return reader((free.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '');
};

/** Credits that visitors have spent. */
const spentByVisitors = async (): Promise<number> => {
  const { rows } = await app.core.pool.query<{ sum: string }>(
    `SELECT coalesce(sum((data->>'amount')::int), 0) AS sum FROM es_event
     WHERE stream LIKE 'ledger-vis%' AND type = 'CreditsCharged'`,
  );
  return Number(rows[0]?.sum);
};

describe('a transcript on a page', () => {
  it('is charged once a day, in every view and format, for its reader alone', async () => {
    const { visit, spent } = await signedIn();
    assert.match(await (await visit(`/t/${samples.prose}`)).text(), freeNote);
    assert.equal(await spent(), 1);
    for (const path of ['', '?view=reading', '?clean=true&lang=en', '.srt', '.txt?lang=en', '.md']) {
      assert.equal((await visit(`/t/${samples.prose}${path}`)).status, 200);
    }
    assert.equal((await visit(`/t/${samples.prose}`, { 'Sec-Fetch-Site': 'cross-site' })).status, 200);
    assert.equal(await spent(), 1);
    const other = await signedIn();
    await other.visit(`/t/${samples.prose}`);
    assert.equal(await other.spent(), 1);
  });

  it('is charged once for twenty concurrent views', async () => {
    const { visit, spent } = await signedIn();
    // A busy machine says 503: they look again.
    const look = async (): Promise<void> => {
      const { status } = await visit(`/t/${samples.regional}`);
      if (status === 503) return look();
      assert.equal(status, 200);
    };
    await Promise.all(Array.from({ length: 20 }, look));
    assert.equal(await spent(), 1);
  });

  it('is charged in another language, and after a day', async () => {
    const { visit, spent, accountId } = await signedIn();
    const page = await (await visit(`/t/${samples.manyLanguages}?lang=ja`)).text();
    assert.match(page, /<optgroup label="0: already read today"><option value="ja" selected>/);
    assert.match(page, /<optgroup label="1 credit"><option value="ar">/);
    for (const _ of [1, 2]) await visit(`/t/${samples.manyLanguages}?lang=de`);
    assert.equal(await spent(), 2);
    await app.core.pool.query(`UPDATE paid_captions SET paid_at = paid_at - interval '25 hours' WHERE reader = $1`, [
      accountId,
    ]);
    const later = await visit(`/t/${samples.manyLanguages}?lang=de`, {});
    assert.match(await later.text(), /Show transcript for 1 credit/);
  });

  it('is not charged again after payment by a key or a job', async () => {
    const { visit, spent, key } = await signedIn();
    assert.equal((await app.get(`/v1/transcripts/${samples.prose}`, { key })).status, 200);
    await app.get(`/v1/transcripts/${samples.prose}`, { key });
    assert.equal(await spent(), 2, 'the API charges each request');
    const ids = [samples.regional, mute];
    const job = await app.post('/v1/jobs', { ids, asr: 'auto' }, { key });
    const { job_id } = (await job.json()) as { job_id: string };
    await (await app.get(`/v1/jobs/${job_id}/events`, { key })).text();
    assert.equal(await spent(), 13);
    const list = await (await visit(`/jobs/${job_id}`)).text();
    assert.match(list, /complete · 1 credit<[\s\S]*complete · 10 credits</);
    assert.doesNotMatch(list, /opening it costs/);
    for (const [status, isListed] of [
      ['completed', true],
      ['failed', false],
      ['nonsense', true],
    ] as const) {
      assert.equal((await (await visit(`/jobs?status=${status}`)).text()).includes(job_id), isListed, status);
    }
    for (const id of [samples.prose, ...ids]) {
      assert.equal((await visit(`/t/${id}`)).status, 200, id);
    }
    assert.equal(await spent(), 13);
  });

  it('is charged once to a visitor, who gets a cookie with it', async () => {
    const before = await spentByVisitors();
    const first = await reader('').visit(`/t/${samples.prose}`);
    const { visit } = reader((first.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '');
    await visit(`/t/${samples.prose}.srt`);
    await visit(`/t/${samples.prose}`);
    assert.equal((await spentByVisitors()) - before, 1);
    const other = await visitor();
    await other.visit(`/t/${samples.prose}`);
    assert.equal((await spentByVisitors()) - before, 2);
  });

  it('is offered with its price to readers from other sites, and charged after a click', async () => {
    const { visit, send, spent } = await signedIn();
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { ...own, 'Sec-Purpose': 'prefetch;prerender' },
      { 'Sec-Fetch-Site': 'none', Purpose: 'prefetch' },
      { ...own, 'X-Moz': 'prefetch' },
      { Referer: 'https://other.example/' },
      { Origin: 'https://other.example' },
      {},
    ]) {
      for (const path of ['', '.srt', '?view=reading&chapters=true']) {
        const answer = await visit(`/t/${samples.prose}${path}`, headers);
        const page = await answer.text();
        assert.equal(answer.status, 200);
        assert.match(page, /property="og:title" content="How a lighthouse speaks/);
        assert.match(page, /<button type="submit">(Show transcript|Download SRT) for 1 credit/);
      }
    }
    assert.equal(await spent(), 0);
    const file = await send(`/t/${samples.prose}.srt`, { confirmed: 'true' });
    assert.match(file.headers.get('Content-Disposition') ?? '', /lighthouse1\.en\.srt/);
    assert.equal(await spent(), 1);
    const others = await signedIn();
    for (const headers of [{ 'Sec-Fetch-Site': 'none' }, { Referer: `${app.url}/` }]) {
      const answer = await others.visit(`/t/${samples.prose}`, headers);
      assert.match(await answer.text(), /id="transcript"/);
    }
    assert.equal(await others.spent(), 1);
  });

  it('shows the line that a link from elsewhere leads to, free of charge, once somebody has read it', async () => {
    const stranger = reader('');
    const linked = async (id: string) =>
      await (await stranger.visit(`/t/${id}?lang=en&t=5`, { 'Sec-Fetch-Site': 'cross-site' })).text();
    assert.doesNotMatch(await linked(samples.onlyAutomatic), /<blockquote/);
    await reader('').visit(`/t/${samples.prose}?lang=en`);
    const page = await linked(samples.prose);
    assert.match(page, /og:description" content="Tonight I want to tell you how a lighthouse speaks\."/);
    assert.match(page, /<blockquote dir="auto">00:04 Tonight/);
    assert.match(page, /<meta property="og:title" content="How a lighthouse speaks · 00:04 · Steno"/);
    assert.match(page, /<meta property="og:url" content="[^"]*\/t\/lighthouse1\?lang=en&amp;t=4"/);
    assert.doesNotMatch(page, /Not with words/);
  });

  it('is translated into lines in both languages, and into subtitles of these', async () => {
    provider.reset();
    const { send } = await signedIn();
    const form = { lang: 'en', target_lang: 'de', mode: 'bilingual' };
    const page = await (await send(`/t/${samples.prose}/translate`, form)).text();
    const line = 'Tonight I want to tell you how a lighthouse speaks.';
    const both = `<span class="both"><span dir="auto" lang="en">${line}</span><span dir="auto" lang="de">«${line}»</span>`;
    assert.ok(page.includes(both));
    const [, file = ''] =
      /href="data:application\/x-subrip;charset=utf-8;base64,([^"]+)" download="[^"]+.de.srt"/.exec(page) ?? [];
    assert.match(
      Buffer.from(file, 'base64').toString(),
      new RegExp(`\n\n2\n00:00:0\\S+ --> \\S+\n${line}\n«${line}»\n`),
    );
  });

  it('is shown beside the results of its operations once it is paid for, and their places lead to its lines', async () => {
    provider.reset();
    const { visit, send, spent } = await signedIn();
    const page = `/t/${samples.prose}/search`;
    const form = { query: 'lamp', lang: 'en' };
    const before = await (await send(page, form)).text();
    assert.doesNotMatch(before, /id="transcript"/);
    assert.match(before, new RegExp(`class="time"[^>]*href="/t/${samples.prose}\\?lang=en#t=`));
    await visit(`/t/${samples.prose}?lang=en`);
    const cost = await spent();
    const empty = await (await visit(`${page}?lang=en`)).text();
    const found = await (await send(page, form)).text();
    for (const text of [empty, found]) {
      assert.match(text, /<h1 dir="auto"[^>]*>[^<]+<\/h1>/);
      assert.match(text, /<x-player/);
      assert.match(text, /id="transcript"/);
    }
    const places = [...found.matchAll(/class="time"[^>]*href="#(t=\d+)"/g)].map(([, id]) => id);
    assert.ok(places.length > 0);
    for (const id of places) assert.ok(found.includes(`<li id="${id}"`), id);
    assert.equal((await spent()) - cost, Number(/>(\d+) credits? charged/.exec(found)?.[1]));
  });

  it('has controls for the kind of captions and for the times of words, which apply to its files', async () => {
    const { visit } = await signedIn();
    const text = await (await visit(`/t/${samples.onlyAutomatic}?captions=automatic&words=true`)).text();
    assert.match(text, /<select name="captions"[^>]*>.*<option value="automatic" selected/s);
    assert.match(text, /<input type="checkbox" name="words" value="true" checked/);
    const [, file = ''] = /href="([^"]+\.vtt[^"]*)"/.exec(text) ?? [];
    assert.match(file, /words=true/);
    assert.match(await (await visit(file.replaceAll('&amp;', '&'))).text(), /<\d\d:\d\d:\d\d\.\d{3}><c>/);
  });

  it('says how many lines it leaves out', async () => {
    const { visit } = await signedIn();
    const counted = async (query: string) => {
      const text = await (await visit(`/t/${samples.lyrics}?${query}`)).text();
      return [/>(\d+) lines</, />(\d+) lines? left out</].map((count) => Number(count.exec(text)?.[1]));
    };
    const [all = 0] = await counted('');
    const [kept = 0, leftOut = 0] = await counted('clean=true');
    assert.ok(leftOut > 0);
    assert.equal(kept + leftOut, all);
  });

  it('takes the same words for true and false as the API', async () => {
    const { visit, key } = await signedIn();
    for (const value of ['true', '1', 'TRUE', 'false', '0']) {
      const options = `timestamps=${value}&clean=${value}`;
      const file = await (await visit(`/t/${samples.lyrics}.txt?${options}`)).text();
      const read = await app.get(`/v1/transcripts/${samples.lyrics}?format=txt&${options}`, { key });
      assert.equal(file, await read.text(), value);
    }
    const plain = await (await visit(`/t/${samples.lyrics}?timestamps=0`)).text();
    assert.doesNotMatch(plain, /<input type="checkbox" name="timestamps" value="true" checked/);
    assert.equal((await visit(`/t/${samples.lyrics}.vtt?words=1`)).status, 200);
    assert.equal((await visit(`/t/${samples.lyrics}.vtt?words=yes`)).status, 400);
    // How a page looks is no reason to refuse it.
    assert.equal((await visit(`/t/${samples.lyrics}?clean=yes&timestamps=`)).status, 200);
  });

  it('comes with chapters for one charge of both, or for none', async () => {
    const { send, spent, accountId } = await signedIn();
    const wanted = { view: 'reading', chapters: 'true' };
    const once = onceToken();
    const first = await send(`/t/${samples.prose}`, { ...wanted, once });
    assert.match(await first.text(), headingAboveText);
    assert.equal(await spent(), 4);
    assert.match(await (await send(`/t/${samples.prose}`, { ...wanted, once })).text(), headingAboveText);
    assert.equal(await spent(), 4);
    const { rows } = await app.core.pool.query<{ transactions: string }>(
      `SELECT count(DISTINCT xmin::text) AS transactions FROM es_event
       WHERE stream LIKE 'ledger-' || $1 || '-%' AND type = 'CreditsCharged'`,
      [accountId],
    );
    assert.equal(Number(rows[0]?.transactions), 1);
    await app.core.ledger.charge(
      {
        ...{ accountId, actor: { type: 'system', id: 'test' }, channel: 'system' },
        ...{ requestId: 'req_1', deduplicationKey: 'rest', isRepeatable: false },
        ...{ capCredits: null, traceparent: null },
      },
      [{ what: 'rest', operation: 'job_item', amount: 9_993, requests: 1, videoId: null }],
    );
    assert.equal((await send(`/t/${samples.regional}`, wanted)).status, 402);
    assert.equal(await spent(), 9_997);
  });
});

describe('a form that costs', () => {
  it('is one charge for speech, which no other language or format refunds', async () => {
    const { visit, send, spent } = await signedIn();
    const once = onceToken();
    const form = { once, asr: 'auto' };
    const heard = await (await send(`/t/${mute}`, form)).text();
    assert.ok(heard.includes(spoken[0] ?? ''));
    assert.equal(await spent(), 10);
    assert.equal((await send(`/t/${mute}`, { ...form, lang: 'fr' })).status, 422);
    assert.equal((await send(`/t/${mute}.srt`, form)).status, 422);
    assert.equal((await send(`/t/${mute}`, { asr: 'auto', lang: 'fr' })).status, 404);
    assert.equal((await send(`/t/${mute}`, form)).status, 200);
    assert.match(await (await visit(`/t/${mute}.srt`)).text(), /^1\n00:00:00,000 --> /);
    assert.equal(await spent(), 10);
    const other = await signedIn();
    assert.match(await (await other.visit(`/t/${mute}`)).text(), /speech for 10 credits/);
    assert.match(await (await other.send(`/t/${mute}`, { confirmed: 'true' })).text(), /speech for 10 credits/);
    assert.equal(await other.spent(), 0);
  });

  it('is answered again unchanged, even if the model becomes available, and only to its sender', async () => {
    const before = await spentByVisitors();
    const spentByVisitor = async () => (await spentByVisitors()) - before;
    const { spent: spentBySigned, ...signed } = await signedIn();
    for (const [sender, spent, id] of [
      [await visitor(), spentByVisitor, samples.prose],
      [signed, spentBySigned, samples.regional],
    ] as const) {
      const form = { once: onceToken(), length: 'medium' };
      const summary = `/t/${id}/summary`;
      const textOf = async (answer: Response) =>
        /<div id="result-text"[^>]*>(.*?)<\/div>/s.exec(await answer.text())?.[1];
      provider.reset('500');
      const first = await textOf(await sender.send(summary, form));
      provider.reset();
      assert.ok(first);
      assert.equal(await textOf(await sender.send(summary, form)), first);
      assert.equal(await spent(), 1);
      assert.equal(provider.calls.chat, 0);
      const reused = await sender.send(summary, { ...form, length: 'short' });
      assert.equal(reused.status, 422);
      assert.match(await reused.text(), /IDEMPOTENCY_KEY_REUSED/);
      assert.equal(await spent(), 1);
      const other = await visitor();
      const visitors = await spentByVisitors();
      await other.send(summary, form);
      assert.ok((await spentByVisitors()) > visitors, 'the form of somebody else is another form');
    }
  });

  it('is executed once when it is sent twice at the same time', async () => {
    provider.reset();
    const { send, spent } = await signedIn();
    const form = { once: onceToken(), question: 'What does the keeper tell about the lamp?' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(`/t/${samples.prose}/ask`, form)));
    for (const { status } of answers) assert.equal(status, 200);
    assert.equal(await spent(), 3);
  });
});

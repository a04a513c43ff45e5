import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { accountEvents } from '#projections/accounts.ts';

import { inWords } from '#src/accounts/registration/number-words.ts';
import { catalogues, type PageLanguage, pageLanguages } from '#src/contract/languages.ts';
import { endpoints } from '#src/edges/http/routes.ts';
import { bodyOf, type WrongValue } from '#src/edges/http/website/parts/form-body.ts';
import { refusalText } from '#src/edges/http/website/refusal-text.ts';
import { fill, wordsOf } from '#src/edges/http/website/words.ts';
import { catalogue } from '#src/events.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp({
    environment: {
      CAPTCHA_MIN_SOLVE_MS: '0',
      UNAUTHENTICATED_REQUESTS_PER_MINUTE: '10000',
      REGISTRATIONS_PER_IP_HOUR: '1000',
      REGISTRATIONS_PER_IP_DAY: '1000',
    },
  });
});
after(() => app[Symbol.asyncDispose]());

/** Signs in; requests are sent with the cookie of the session, forms with their fields. */
const signedIn = async (email: string) => {
  const answer = await send('/login', { email, password });
  const cookie = planted((answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '');
  return async (path: string, fields?: Readonly<Record<string, string>>): Promise<string> => {
    const headers = { Accept: 'text/html', Cookie: cookie, Origin: app.url };
    const form = fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) };
    return (await fetch(`${app.url}${path}`, { headers, ...form })).text();
  };
};

const password = plantedPassword('forms');

const visit = (path: string) => fetch(`${app.url}${path}`, { headers: { Accept: 'text/html' } });

const send = (path: string, fields: Readonly<Record<string, string>>) =>
  fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { Accept: 'text/html', Origin: app.url },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

/** The token of the captcha in a page, and its question. */
const captchaIn = (page: string, language: PageLanguage) => {
  const token = planted(/name="captcha_token" value="([^"]+)"/.exec(page)?.[1] ?? '');
  const label = /<label for="captcha_answer">([^<]+)</.exec(page)?.[1] ?? '';
  const around = fill(wordsOf(language).auth.question, { question: '|' }).split('|');
  return { token, question: label.slice(around[0]?.length, label.length - (around[1]?.length ?? 0)) };
};

const signs = {
  plus: (a: number, b: number) => a + b,
  minus: (a: number, b: number) => a - b,
  times: (a: number, b: number) => a * b,
} as const;

/** What somebody who speaks the language answers. */
const solvedIn = (language: PageLanguage, question: string): string => {
  const values = new Map(Array.from({ length: 100 }, (_, n) => [inWords(n, language), n]));
  for (const sign of ['plus', 'minus', 'times'] as const) {
    for (const wording of catalogues[language].captcha[sign]) {
      const form = RegExp.escape(wording.toLowerCase()).replace('\\{a\\}', '(?<a>.+)').replace('\\{b\\}', '(?<b>.+)');
      const found = new RegExp(`^${form}$`).exec(question.toLowerCase())?.groups;
      const [a, b] = [values.get(found?.['a'] ?? ''), values.get(found?.['b'] ?? '')];
      if (a !== undefined && b !== undefined) return String(signs[sign](a, b));
    }
  }
  throw new Error(`no question in ${language}: ${question}`);
};

describe('the pages of an account', () => {
  it('name events and operations in the language of the page, beside the names that auditors know', async () => {
    const email = 'books@example.org';
    const { apiKey: key } = await app.core.commands.createAccount({ ...{ email, password, name: null, plan: 'pro' } });
    assert.equal((await app.get(`/v1/transcripts/${samples.prose}`, { key })).status, 200);
    const read = await signedIn(email);
    const ledger = await read('/account/ledger?ui=de');
    const [charge, entry = ''] = /<a href="(\/account\/ledger\/[^"]+)">Transkript<\/a>/.exec(ledger) ?? [];
    assert.ok(charge);
    assert.match(ledger, /How a lighthouse speaks.*API key<\/a>.*>−1<.*>9\.999<.*>\+10\.000<.*>10\.000</);
    assert.match(await read(`${entry}?ui=de`), /Credits abgebucht <code[^>]*>CreditsCharged<\/code>/);
    assert.match(await read('/account/security?ui=fr'), /Clé d’API créée <code[^>]*>KeyCreated</);
    const ofNoKey = await read('/account/ledger?key_id=none&ui=de');
    assert.match(ofNoKey, /Nur diese Buchungen: <strong>ohne Schlüssel<\/strong>/);
    const ofKind = await read('/account/ledger?kind=summarize&ui=ja');
    assert.match(ofKind, /絞り込み： <strong>要約<\/strong>/);
    const ofBoth = await read('/account/ledger?kind=summarize&cost_tag=project-a&ui=ja');
    assert.match(ofBoth, /絞り込み： <strong>要約、project-a<\/strong>/);
  });

  it('have a word for every event of the ledger and of the history of an account', () => {
    const ofLedger = Object.entries(catalogue).flatMap(([type, chapter]) => (chapter === 'ledger' ? [type] : []));
    const wanted = new Set([...ofLedger, ...accountEvents.types]);
    assert.deepEqual(Object.keys(catalogues.en.events).sort(), [...wanted].sort());
  });

  it('call a job that is a list of videos by their number', async () => {
    const email = 'lists@example.org';
    const { apiKey: key } = await app.core.commands.createAccount({ ...{ email, password, name: null, plan: 'pro' } });
    const ids = [samples.prose, samples.private];
    const { job_id: jobId } = (await (await app.post('/v1/jobs', { ids }, { key })).json()) as { job_id: string };
    const read = await signedIn(email);
    assert.match(await read(`/jobs/${jobId}?ui=en`), /<h1>List of 2 videos<\/h1>/);
    assert.match(await read('/jobs?ui=de'), />Liste mit 2 Videos<\/a>/);
  });
});

describe('the form of a registration', () => {
  for (const language of pageLanguages) {
    it(`asks its question in the language of the page, and accepts the answer in figures: ${language}`, async () => {
      const page = await (await visit(`/register?ui=${language}`)).text();
      const { token, question } = captchaIn(page, language);
      const answer = await send('/register', {
        email: `jo@${language}.example`,
        password,
        captcha_token: token,
        captcha_answer: solvedIn(language, question),
      });
      assert.equal(answer.status, 303, question);
      assert.equal(answer.headers.get('Location'), '/account/keys');
      const cookies = answer.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
      for (const one of cookies) planted(one.split('=')[1] ?? '');
      const headers = { Accept: 'text/html', Cookie: cookies.join('; ') };
      const keys = await fetch(`${app.url}/account/keys`, { headers, redirect: 'manual' });
      assert.equal(keys.status, 200);
    });
  }
});

/** The note about what went wrong, and what is said of each field. */
const wrongsIn = (page: string): readonly string[] =>
  [...page.matchAll(/<(?:div class="note bad"[^>]*|p class="wrong"[^>]*)>([^<]+)</g)].map(([, text = '']) =>
    text.trim(),
  );

describe('a registration that is refused', () => {
  it('says that it was too fast, keeps the input except the password, and has no field that a browser fills in', async () => {
    await using slow = await startTestApp({ environment: { CAPTCHA_MIN_SOLVE_MS: '60000' } });
    const page = await (await fetch(`${slow.url}/register?ui=en`)).text();
    const { token, question } = captchaIn(page, 'en');
    const body = { email: 'fast@forms.example', name: 'Fa & st', password };
    const proof = { captcha_token: token, captcha_answer: solvedIn('en', question) };
    const refused = await fetch(`${slow.url}/register?ui=en`, {
      method: 'POST',
      headers: { Accept: 'text/html', Origin: slow.url },
      body: new URLSearchParams({ ...body, ...proof }),
    });
    assert.equal(refused.status, 400);
    const text = await refused.text();
    planted(captchaIn(text, 'en').token);
    assert.match(text, /Too fast: reading/);
    assert.match(text, /value="fast@forms.example"/);
    assert.match(text, /value="Fa &amp; st"/);
    assert.ok(!text.includes(password));
    const hidden = /<div class="bait" aria-hidden="true">(.*?)<\/div>/s.exec(text)?.[1] ?? '';
    const inputs = [...hidden.matchAll(/<input[^>]*>/g)].map(([input]) => input);
    assert.equal(inputs.length, 2);
    for (const input of inputs) {
      assert.match(input, /tabindex="-1"/);
      assert.match(input, /autocomplete="off"/);
      assert.doesNotMatch(input, /name="(\w*(name|mail|tel|phone|url|site|company|address|city)\w*)"/);
    }
    const api = await slow.post('/api/auth/register', { ...body, ...proof });
    assert.equal(api.status, 400);
    const { error } = (await api.json()) as { error: { code: string; details: object } };
    assert.equal(error.code, 'CAPTCHA_FAILED');
    assert.deepEqual(error.details, { reason: 'too_fast', min_solve_ms: 60_000 });
  });

  it('is the same for every hidden field that is filled in', async () => {
    for (const trap of ['subject', 'message', 'website', 'company']) {
      const page = await (await visit('/register?ui=en')).text();
      const { token, question } = captchaIn(page, 'en');
      const proof = { captcha_token: token, captcha_answer: solvedIn('en', question) };
      const fields = { email: `${trap}@forms.example`, password, ...proof, [trap]: 'x' };
      const answer = await send('/register?ui=en', fields);
      assert.equal(answer.status, 400, trap);
      assert.match(await answer.text(), /Wrong or late answer/);
    }
  });
});

/** What a body refuses of the fields of a form. */
const refusedOf = (body: z.ZodType, fields: object): readonly WrongValue[] => {
  try {
    bodyOf({ body }, fields);
    return [];
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return error.details?.['fields'] as readonly WrongValue[];
  }
};

describe('a form that is refused', () => {
  it('says what is wrong with a registration in the language of the page', async () => {
    const fields = { email: 'nobody', password, captcha_token: '', captcha_answer: '4' };
    const said = async (path: string, more: Readonly<Record<string, string>>) =>
      wrongsIn(await (await send(path, { ...fields, ...more })).text());
    const noAddress = 'Das ist keine E-Mail-Adresse.';
    assert.deepEqual(await said('/register?ui=de', {}), [noAddress, noAddress]);
    assert.match(await (await visit('/register?ui=de')).text(), />Mindestens 8 Zeichen\. Am besten/);
    const short = 'パスワードは 8 文字以上にしてください。';
    const email = 'jo@forms.example';
    assert.deepEqual(await said('/register?ui=ja', { email, password: 'short' }), [short, short]);
    const wrong = 'Die Antwort war falsch oder kam zu spät. Hier ist eine neue Frage.';
    assert.deepEqual(await said('/register?ui=de', { email }), [wrong, wrong]);
  });

  it('says that a sign-in, a password or a link is wrong', async () => {
    const email = 'wrong@example.org';
    await app.core.commands.createAccount({ ...{ email, password, name: null, plan: 'pro' } });
    const answer = await send('/login?ui=fr', { email, password: 'not this one' });
    assert.equal(answer.status, 401);
    assert.deepEqual(wrongsIn(await answer.text()), ['L’adresse e-mail ou le mot de passe est incorrect.']);
    const read = await signedIn(email);
    const change = { current: 'not this one', next: plantedPassword('forms again') };
    assert.deepEqual(wrongsIn(await read('/account/security/password?ui=es', change)), [
      'La contraseña no es correcta.',
    ]);
    assert.deepEqual(wrongsIn(await read('/account/security/password?ui=de', { current: password, next: password })), [
      'Das neue Passwort ist dasselbe wie das bisherige.',
    ]);
    assert.deepEqual(wrongsIn(await read('/account/keys?ui=it', { name: 'x'.repeat(101) })), [
      'Questo testo è troppo lungo (al massimo 100 caratteri): Nome.',
    ]);
    assert.deepEqual(wrongsIn(await read('/account/webhooks?ui=ro', { url: 'ftp://x.example' })), [
      'URL-ul trebuie să înceapă cu https://.',
    ]);
    assert.deepEqual(wrongsIn(await read('/many?ui=ko', { links: '', lang: 'no code' })), [
      '언어 코드가 아닙니다. en이나 pt-BR 같은 형태입니다.',
    ]);
  });

  it('names the bound of a number, and the limit that a plan or a playlist is beyond', async () => {
    const email = 'bounds@example.org';
    const { apiKey } = await app.core.commands.createAccount({ ...{ email, password, name: null, plan: 'free' } });
    planted(apiKey);
    const read = await signedIn(email);
    const ofCap = async (cap: string) => wrongsIn(await read('/account/keys?ui=en', { name: 'k', cap }));
    for (const low of ['0', '-5']) {
      assert.deepEqual(await ofCap(low), ['This number must be at least 1: Maximum credits it may spend.'], low);
    }
    for (const high of ['2000000000', '9'.repeat(17)]) {
      const text = 'This number can be at most 1,000,000,000: Maximum credits it may spend.';
      assert.deepEqual(await ofCap(high), [text], high);
    }
    assert.deepEqual(await ofCap('1.5'), ['This must be a whole number: Maximum credits it may spend.']);
    const ofFollow = async (source: string, backfill = '0') =>
      wrongsIn(await read('/account/follows?ui=en', { source, backfill, max_credits_per_period: '5' }));
    assert.deepEqual(await ofFollow('@harbournotes', '60'), [
      'This number can be at most 50: Newest videos to transcribe right away.',
    ]);
    assert.deepEqual(await ofFollow(''), ['This field is required: Channel or playlist.']);
    assert.deepEqual(await ofFollow(samples.prose), ['A video cannot be followed. Enter its channel or a playlist.']);
    const words = wordsOf('en');
    const said = (path: string, code: string, details: object) =>
      refusalText(words, { code: 'INVALID_REQUEST', details: { ...details, fields: [{ path, code, message: '' }] } });
    assert.equal(
      said('source', 'too_big', { max: 1_000 }),
      'This playlist is too long to follow. Videos: at most 1,000.',
    );
    assert.equal(said('follows', 'too_many', { limit: 5 }), 'Your plan allows up to 5 follows. End one first.');
    // A query that no body refused says nothing of its bound.
    assert.equal(said('page', 'too_small', {}), 'This value is not accepted: page.');
  });

  it('says that a follow cannot be changed any more', async () => {
    const email = 'ended@example.org';
    const { apiKey } = await app.core.commands.createAccount({ ...{ email, password, name: null, plan: 'free' } });
    planted(apiKey);
    const read = await signedIn(email);
    const follow = await read('/account/follows', { source: '@harbournotes', max_credits_per_period: '5' });
    const [path = ''] = /\/account\/follows\/[^/"]+(?=\/pause)/.exec(follow) ?? [];
    await read(`${path}/end`, {});
    // The button of a page that was open before.
    assert.deepEqual(wrongsIn(await read(`${path}/pause?ui=ro`, {})), ['Nu mai urmărești această sursă.']);
    const fields = [{ path: 'follow', code: 'too_many_changes', message: '' }];
    assert.equal(
      refusalText(wordsOf('en'), { code: 'INVALID_REQUEST', details: { fields } }),
      'This follow has been changed too many times. End it and start another one.',
    );
  });

  it('has for every value that a body of the contract refuses the text of its kind', () => {
    const words = wordsOf('en');
    const values = [-1, 1.5, Number.NaN, 1e15, '', 'x'.repeat(9_999), [], [-1], Array.from({ length: 9_999 }, () => 1)];
    const { fields: texts } = words.refusals;
    /** What a field of this schema may say of this value, by the code of what is wrong. */
    const wordsFor = (value: unknown): Readonly<Record<string, string>> => {
      if (typeof value === 'number') {
        return {
          too_small: texts['number.too_small'],
          too_big: texts['number.too_big'],
          invalid_type: texts['number.invalid_type'],
        };
      }
      if (typeof value === 'string') return { too_small: texts['string.too_small'], too_big: texts['string.too_big'] };
      return { too_small: texts['array.too_small'], too_big: texts['array.too_big'] };
    };
    const seen = new Set<string>();
    for (const { id, body } of endpoints) {
      if (!(body instanceof z.ZodObject)) continue;
      for (const name of Object.keys(body.shape)) {
        for (const value of values) {
          for (const field of refusedOf(body, { [name]: value })) {
            const [first, index] = field.path.split('.');
            const given = Array.isArray(value) && index !== undefined ? value[Number(index)] : value;
            const word = wordsFor(given)[field.code];
            if (first !== name || word === undefined) continue;
            if (field.code === 'invalid_type' && !['number', 'int'].includes(field.origin ?? '')) continue;
            const text = refusalText(words, { code: 'INVALID_REQUEST', details: { fields: [field] } });
            const form = RegExp.escape(word).replace('\\{field\\}', '.+').replace('\\{limit\\}', '[\\d,]+');
            assert.match(text, new RegExp(`^${form}$`), `${id}: ${field.path}.${field.code}`);
            if (word === texts['string.too_small']) assert.equal(field.limit, 1, `${id}: ${name}`);
            seen.add(word);
          }
        }
      }
    }
    assert.equal(seen.size, 7);
  });

  it('says when to try again after too many failed sign-ins', async () => {
    const email = 'locked@example.org';
    let answer = await send('/login?ui=de', { email, password: 'no' });
    for (let tries = 0; tries < 40 && answer.status !== 429; tries += 1) {
      answer = await send('/login?ui=de', { email, password: 'no' });
    }
    assert.equal(answer.status, 429);
    const [text = ''] = wrongsIn(await answer.text());
    assert.match(text, /^Zu viele Anfragen in kurzer Zeit\. Versuchen Sie es in \d+ \w+ erneut\.$/);
  });

  it('says that an address is too long', async () => {
    // As a browser sends what the search of the library takes.
    const query = new URLSearchParams({ q: '字'.repeat(1_000) });
    const page = await visit(`/account/library?ui=de&${query}`);
    assert.equal(page.status, 400);
    assert.match(await page.text(), /<p>Die URL ist zu lang\.<\/p>/);
  });

  it('names the reason for which a video cannot be read', async () => {
    const page = await (await visit(`/t/${samples.private}?ui=pt`)).text();
    assert.match(page, /<p>Este vídeo é privado\.<\/p>/);
    const operation = await send(`/t/${samples.prose}/ask?ui=de`, { question: '' });
    assert.equal(operation.status, 400);
    assert.match(await operation.text(), /<p>Dieses Feld ist erforderlich: Ihre Frage\.<\/p>/);
  });
});

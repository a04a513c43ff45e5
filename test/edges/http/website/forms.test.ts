import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { wordings } from '#src/accounts/captcha-wordings.ts';
import { inWords, type WrittenLanguage } from '#src/accounts/number-words.ts';
import { fill, uiLanguages, wordsOf } from '#src/edges/http/website/messages/language.ts';
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
const captchaIn = (page: string, language: WrittenLanguage) => {
  const token = planted(/name="captcha_token" value="([^"]+)"/.exec(page)?.[1] ?? '');
  const label = /<label for="captcha_answer">([^<]+)</.exec(page)?.[1] ?? '';
  const around = fill(wordsOf(language).auth.question, { question: '|' }).split('|');
  return {
    token,
    question: label.slice(around[0]?.length, label.length - (around[1]?.length ?? 0)),
  };
};

const signs = {
  plus: (a: number, b: number) => a + b,
  minus: (a: number, b: number) => a - b,
  times: (a: number, b: number) => a * b,
} as const;

/** What somebody who speaks the language answers. */
const solvedIn = (language: WrittenLanguage, question: string): string => {
  const values = new Map(Array.from({ length: 100 }, (_, n) => [inWords(n, language), n]));
  for (const sign of ['plus', 'minus', 'times'] as const) {
    for (const wording of wordings[language][sign]) {
      const form = RegExp.escape(wording.toLowerCase())
        .replace('\\{a\\}', '(?<a>.+)')
        .replace('\\{b\\}', '(?<b>.+)');
      const found = new RegExp(`^${form}$`).exec(question.toLowerCase())?.groups;
      const [a, b] = [values.get(found?.['a'] ?? ''), values.get(found?.['b'] ?? '')];
      if (a !== undefined && b !== undefined) return String(signs[sign](a, b));
    }
  }
  throw new Error(`no question in ${language}: ${question}`);
};

describe('the form of a registration', () => {
  for (const language of uiLanguages) {
    it(`asks its question in the language of the page, and takes the answer in figures: ${language}`, async () => {
      const page = await (await visit(`/register?ui=${language}`)).text();
      const { token, question } = captchaIn(page, language);
      const answer = await send('/register', {
        email: `jo@${language}.example`,
        password,
        captcha_token: token,
        captcha_answer: solvedIn(language, question),
      });
      assert.equal(answer.status, 303, question);
      assert.equal(answer.headers.get('Location'), '/login?told=registered');
    });
  }
});

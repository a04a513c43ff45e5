import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { isAnswer, type PuzzleSettings, posePuzzle, readToken } from '#src/accounts/registration/captcha-puzzle.ts';
import { questionCount, questionOf } from '#src/accounts/registration/captcha-questions.ts';
import { inWords, plainAnswer } from '#src/accounts/registration/number-words.ts';
import { type PageLanguage, pageLanguages } from '#src/contract/languages.ts';
import { onlyKey } from '#test/support/keys.ts';

const settings: PuzzleSettings = { keys: onlyKey(7), minSolveMs: 1_500, timeToLiveMs: 600_000 };
const start = Date.parse('2026-11-21T10:00:00.000Z');
const at = (ms: number): Date => new Date(start + ms);

/** The first question, "What is seven plus four?". */
const pose = (from: PuzzleSettings = settings, language: PageLanguage = 'en') => {
  const draws = [0, 5, 2];
  const pick = () => draws.shift() ?? 0;
  return posePuzzle(from, { now: at(0), nonce: 'n'.repeat(43), pick, language });
};

const read = (token: string, ms = 2_000) => readToken(token, settings, at(ms));

const reasonOf = (token: string | undefined, ms = 2_000): string => {
  const reading = readToken(token, settings, at(ms));
  return reading.isGood ? 'good' : reading.why;
};

/** The numbers that a sentence names, in words. */
const numbersIn = (text: string, language: PageLanguage): readonly number[] => {
  const values = new Map(Array.from({ length: 100 }, (_, n) => [inWords(n, language), n]));
  const words = [...values.keys()].sort((a, b) => b.length - a.length).join('|');
  const form = {
    ja: '[一二三四五六七八九十]+',
    zh: '[一二三四五六七八九十]+',
    ko: `(?<=^|\\s)(${words})(?=\\s|,|에|의|보다|만큼)`,
  }[language as string];
  const pattern = new RegExp(form ?? `(?<![\\p{L}-])(${words})(?![\\p{L}-])`, 'gu');
  return [...text.toLowerCase().matchAll(pattern)].map(([word]) => values.get(word) ?? Number.NaN);
};

describe('a captcha question', () => {
  for (const language of pageLanguages) {
    it(`names in words the two numbers that its answer is computed from, in every wording in ${language}`, () => {
      const texts = new Set<string>();
      for (let wording = 0; wording < questionCount(language); wording += 1) {
        for (let draw = 0; draw < 11 * 19; draw += 1) {
          const draws = [draw % 19, Math.floor(draw / 19)];
          const pick = (below: number) => (draws.shift() ?? 0) % below;
          const { text, answer } = questionOf(wording, pick, language);
          if (draw === 0) texts.add(text);
          assert.match(text, /^[^\d{}\p{Ll}]+[^\d{}]*[.?？。]$/u);
          const [a = 0, b = 0, ...more] = numbersIn(text, language);
          assert.equal(more.length, 0, text);
          assert.ok(answer > 0 && [a + b, Math.abs(a - b), a * b].includes(answer), text);
        }
      }
      assert.equal(texts.size, questionCount(language));
      assert.ok(texts.size >= (language === 'en' ? 40 : 15));
    });
  }

  it('is the same puzzle in every language: its token reveals no language, and its answer is accepted in all', () => {
    const { token } = pose();
    for (const [language, question, answer] of [
      ['de', 'Wie viel ist sieben plus vier?', 'elf'],
      ['fr', 'Combien font sept plus quatre\u202f?', 'onze'],
      ['ja', '七足す四はいくつですか。', '十一'],
    ] as const) {
      const posed = pose(settings, language);
      assert.equal(posed.question, question);
      assert.equal(posed.token, token);
      const reading = read(posed.token);
      assert.ok(reading.isGood);
      for (const given of ['11', '１１', answer, 'eleven']) {
        assert.ok(isAnswer(given, reading), given);
      }
      assert.ok(!isAnswer('12', reading));
    }
  });
});

describe('an answer', () => {
  it('is accepted in figures and in words, in any case', () => {
    const { token, question } = pose();
    assert.equal(question, 'What is seven plus four?');
    const reading = read(token);
    assert.ok(reading.isGood);
    for (const answer of ['11', 11, 'eleven', ' Eleven ', 'ELEVEN.', '+11', '011']) {
      assert.ok(isAnswer(answer, reading), String(answer));
    }
    for (const answer of ['12', 12, 'twelve', '', undefined, '1 1', '11.5', 'NaN']) {
      assert.ok(!isAnswer(answer, reading), String(answer));
    }
  });

  it('is the same number with any separator between its words', () => {
    for (const [written, plain] of [
      ['twenty-one', '21'],
      ['Twenty one', '21'],
      ['Einundachtzig', '81'],
      ['dreissig', '30'],
      ['quatre-vingt-un', '81'],
      ['Dieciseis', '16'],
      ['ventotto', '28'],
      ['vinte e tres', '23'],
      ['douazeci si unu', '21'],
      ['二十八。', '28'],
      ['이십팔', '28'],
      ['eighty', '80'],
      ['zero', '0'],
      ['dozen', 'dozen'],
    ] as const) {
      assert.equal(plainAnswer(written), plain);
    }
  });
});

describe('numbers in words', () => {
  it('have the same value in every language that has the word', () => {
    const known = new Map<string, string>();
    for (const language of pageLanguages) {
      for (let value = 0; value < 100; value += 1) {
        const word = inWords(value, language);
        assert.equal(plainAnswer(word), String(value), `${word} in ${language}`);
        assert.equal(known.get(word) ?? String(value), String(value), word);
        known.set(word, String(value));
      }
      for (const none of [-1, 100, 2.5]) assert.throws(() => inWords(none, language), RangeError);
    }
  });
});

describe('a captcha token', () => {
  // S27: every wrong captcha
  it('is refused when it is missing, too early, too late or from the future', () => {
    const { token } = pose();
    assert.equal(reasonOf(undefined), 'missing');
    assert.equal(reasonOf(''), 'missing');
    assert.equal(reasonOf(token, 1_499), 'too_fast');
    assert.equal(reasonOf(token, 1_500), 'good');
    assert.equal(reasonOf(token, 599_999), 'good');
    assert.equal(reasonOf(token, 600_000), 'expired');
    assert.equal(reasonOf(token, -1), 'from_the_future');
  });

  // S27: every wrong captcha
  it('is refused when a character of it was altered', () => {
    const { token } = pose();
    const [body = '', sign = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const easier = Buffer.from(JSON.stringify({ ...claims, min: 0 })).toString('base64url');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const forged of [
      `${easier}.${sign}`,
      `${body}.`,
      body,
      `${none}.${body}.`,
      `${body}.${sign}.x`,
      `${body}.${sign}A`,
      `${body}x.${sign}`,
      `${body}.${createHmac('sha256', 'other').update(body).digest('base64url')}`,
      'x'.repeat(100_000),
    ]) {
      assert.equal(reasonOf(forged), 'forged', forged.slice(0, 80));
    }
  });

  // S27: every wrong captcha
  it('is refused by a server with another secret', () => {
    assert.equal(reasonOf(pose({ ...settings, keys: onlyKey(8) }).token), 'forged');
  });

  // S29: reading the answer of a captcha from its token
  it('does not reveal its answer without the key', () => {
    const { token } = pose();
    const text = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString();
    const { ah, n } = JSON.parse(text);
    for (let answer = 0; answer < 200; answer += 1) {
      for (const guess of [`${answer}`, `${n}${answer}`, `${answer}${n}`, `${n}\0${answer}`]) {
        for (const key of ['', n, 'captcha']) {
          assert.notEqual(createHmac('sha256', key).update(guess).digest('base64url'), ah);
        }
      }
    }
    assert.doesNotMatch(text, /eleven|"11"|:11\b/);
  });
});

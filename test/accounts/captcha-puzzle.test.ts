import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  isAnswer,
  type PuzzleSettings,
  posePuzzle,
  readToken,
} from '#src/accounts/captcha-puzzle.ts';
import { questionCount, questionOf } from '#src/accounts/captcha-questions.ts';
import { inWords, plainAnswer } from '#src/accounts/number-words.ts';

const settings: PuzzleSettings = {
  key: Buffer.alloc(32, 7),
  minSolveMs: 1_500,
  timeToLiveMs: 600_000,
};
const start = Date.parse('2026-11-21T10:00:00.000Z');
const at = (ms: number): Date => new Date(start + ms);

/** The first question, "What is seven plus four?". */
const pose = (from: PuzzleSettings = settings) => {
  const draws = [0, 5, 2];
  const pick = () => draws.shift() ?? 0;
  return posePuzzle(from, { now: at(0), nonce: 'n'.repeat(43), pick });
};

const read = (token: string, ms = 2_000) => readToken(token, settings, at(ms));

const reasonOf = (token: string | undefined, ms = 2_000): string => {
  const reading = readToken(token, settings, at(ms));
  return reading.isGood ? 'good' : reading.why;
};

describe('a captcha question', () => {
  it('has more than forty wordings, each with its arithmetic in words', () => {
    assert.ok(questionCount >= 40);
    const texts = new Set<string>();
    for (let wording = 0; wording < questionCount; wording += 1) {
      const { text, answer } = questionOf(wording, (below) => below - 1);
      texts.add(text);
      assert.doesNotMatch(text, /\d|\{|\}/);
      assert.match(text, /^[A-Z].*[.?]$/);
      assert.ok(answer > 0);
    }
    assert.equal(texts.size, questionCount);
  });

  it('asks for the sum, the difference or the product of the two numbers in it', () => {
    const values = new Map(Array.from({ length: 100 }, (_, n) => [inWords(n), n]));
    fc.assert(
      fc.property(fc.nat(questionCount - 1), fc.infiniteStream(fc.nat()), (wording, draws) => {
        const { text, answer } = questionOf(wording, (below) => (draws.next().value ?? 0) % below);
        const words = text.toLowerCase().match(/[a-z]+(-[a-z]+)?/g) ?? [];
        const [a = 0, b = 0, ...more] = words.flatMap((word) => values.get(word) ?? []);
        assert.equal(more.length, 0, text);
        assert.ok([a + b, Math.abs(a - b), a * b].includes(answer), text);
      }),
      { seed: 35, numRuns: 500 },
    );
  });
});

describe('an answer', () => {
  it('counts in figures and in words, in whatever case', () => {
    const { token, question } = pose();
    assert.equal(question, 'What is seven plus four?');
    const reading = read(token);
    assert.ok(reading.isGood);
    for (const answer of ['11', 11, 'eleven', ' Eleven ', 'ELEVEN.', '+11', '011']) {
      assert.ok(isAnswer(answer, reading, settings), String(answer));
    }
    for (const answer of ['12', 12, 'twelve', '', undefined, '1 1', '11.5', 'NaN']) {
      assert.ok(!isAnswer(answer, reading, settings), String(answer));
    }
  });

  it('is the same number however its words are joined', () => {
    for (const [written, plain] of [
      ['twenty-one', '21'],
      ['Twenty one', '21'],
      ['one hundred and eight', '108'],
      ['a hundred', '100'],
      ['eighty', '80'],
      ['zero', '0'],
      ['dozen', 'dozen'],
    ] as const) {
      assert.equal(plainAnswer(written), plain);
    }
  });
});

describe('a captcha token', () => {
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

  it('is refused when a sign of it was altered', () => {
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

  it('of another server is refused', () => {
    assert.equal(reasonOf(pose({ ...settings, key: Buffer.alloc(32, 8) }).token), 'forged');
  });

  it('does not reveal its answer to who has no key', () => {
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

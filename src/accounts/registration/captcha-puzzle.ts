import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PageLanguage } from '../../contract/languages.ts';
import type { KeyRing } from '../../kernel/key-ring.ts';
import { questionCount, questionOf } from './captcha-questions.ts';
import { plainAnswer } from './number-words.ts';

/**
 * The claims of a token, times in Unix milliseconds. `ah` is an HMAC of the answer, so that the token does not reveal
 * it.
 */
type Claims = {
  readonly v: 1;
  readonly n: string;
  readonly iat: number;
  readonly exp: number;
  readonly min: number;
  readonly ah: string;
};

export type PuzzleSettings = {
  /** Another server's keys make other tokens. */
  readonly keys: KeyRing;
  readonly minSolveMs: number;
  readonly timeToLiveMs: number;
};

export type Puzzle = { readonly token: string; readonly question: string; readonly minSolveMs: number };

/**
 * A question in `language`; the token is the same for every language, and so is the answer.
 * `pick(n)` draws a whole number from 0 to n − 1 from a secure source; `nonce` is at least 128 random bits, base64url.
 */
export const posePuzzle = (
  { keys, minSolveMs, timeToLiveMs }: PuzzleSettings,
  { now, nonce, pick, language }: { now: Date; nonce: string; pick: (below: number) => number; language: PageLanguage },
): Puzzle => {
  const key = keys.current.bytes;
  const { text, answer } = questionOf(pick(questionCount(language)), pick, language);
  const iat = now.getTime();
  const claims: Claims = {
    v: 1,
    n: nonce,
    iat,
    exp: iat + timeToLiveMs,
    min: minSolveMs,
    ah: answerHash(String(answer), nonce, key).toString('base64url'),
  };
  const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return { token: `${body}.${signature(body, key)}`, question: text, minSolveMs };
};

/** `why` is for the log and tests; callers get the same refusal for all of them. */
export type TokenReading =
  | {
      readonly isGood: true;
      readonly nonce: string;
      readonly expiresAt: Date;
      readonly ah: string;
      /** The key of the token. */
      readonly key: Uint8Array;
    }
  | { readonly isGood: false; readonly why: 'missing' | 'forged' | 'expired' | 'from_the_future' | 'too_fast' };

const maxTokenLength = 1024;

/** Verifies the signature and the times of a token. The caller checks that it is used once. */
export const readToken = (
  token: string | undefined,
  { keys }: Pick<PuzzleSettings, 'keys'>,
  now: Date,
): TokenReading => {
  if (token === undefined || token === '') return { isGood: false, why: 'missing' };
  const [found] = keys.all.flatMap(({ bytes: key }) => {
    const claims = claimsOf(token, key);
    return claims === null ? [] : [{ claims, key }];
  });
  if (found === undefined) return { isGood: false, why: 'forged' };
  const { claims, key } = found;
  const at = now.getTime();
  if (claims.iat > at) return { isGood: false, why: 'from_the_future' };
  if (claims.exp <= at) return { isGood: false, why: 'expired' };
  if (at - claims.iat < claims.min) return { isGood: false, why: 'too_fast' };
  return { isGood: true, nonce: claims.n, expiresAt: new Date(claims.exp), ah: claims.ah, key };
};

/** Compares in constant time; accepts every spelling of the number. */
export const isAnswer = (
  answer: string | number | undefined,
  { nonce, ah, key }: { nonce: string; ah: string; key: Uint8Array },
): boolean => {
  const given = answerHash(plainAnswer(answer ?? ''), nonce, key);
  const wanted = Buffer.from(ah, 'base64url');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
};

const claimsOf = (token: string, key: Uint8Array): Claims | null => {
  const [body, mac, ...more] = token.slice(0, maxTokenLength + 1).split('.');
  if (body === undefined || mac === undefined || more.length > 0) return null;
  const wanted = Buffer.from(signature(body, key));
  const given = Buffer.from(mac);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
  // The signature is valid, so this file wrote the claims.
  const claims: Claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  return claims.v === 1 ? claims : null;
};

const signature = (body: string, key: Uint8Array): string =>
  createHmac('sha256', key).update('captcha token\0').update(body).digest('base64url');

const answerHash = (answer: string, nonce: string, key: Uint8Array): Buffer =>
  createHmac('sha256', key).update('captcha answer\0').update(`${nonce}\0${answer}`).digest();

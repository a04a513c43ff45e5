import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PageLanguage } from '../../contract/languages.ts';
import type { KeyRing } from '../../kernel/key-ring.ts';
import { readSignedToken, signedToken } from '../signed-token.ts';
import { questionCount, questionOf } from './captcha-questions.ts';
import { plainAnswer } from './number-words.ts';

/** The claims of a token, times in Unix milliseconds. `ah` is an HMAC of the answer, which the token does not reveal. */
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
  return { token: signedToken(body, purpose, keys), question: text, minSolveMs };
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

const purpose = 'captcha token';
const maxTokenLength = 1024;

/** Verifies the signature and the times of a token. The caller checks that it is used once. */
export const readToken = (
  token: string | undefined,
  { keys }: Pick<PuzzleSettings, 'keys'>,
  now: Date,
): TokenReading => {
  if (token === undefined || token === '') return { isGood: false, why: 'missing' };
  const signed = readSignedToken(token, purpose, keys, maxTokenLength + 1);
  if (signed === null) return { isGood: false, why: 'forged' };
  // The signature is valid, so this file wrote the claims.
  const claims: Claims = JSON.parse(Buffer.from(signed.text, 'base64url').toString('utf8'));
  if (claims.v !== 1) return { isGood: false, why: 'forged' };
  const at = now.getTime();
  if (claims.iat > at) return { isGood: false, why: 'from_the_future' };
  if (claims.exp <= at) return { isGood: false, why: 'expired' };
  if (at - claims.iat < claims.min) return { isGood: false, why: 'too_fast' };
  return { isGood: true, nonce: claims.n, expiresAt: new Date(claims.exp), ah: claims.ah, key: signed.key.bytes };
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

const answerHash = (answer: string, nonce: string, key: Uint8Array): Buffer =>
  createHmac('sha256', key).update('captcha answer\0').update(`${nonce}\0${answer}`).digest();

import type { PageLanguage } from '../../contract/languages.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newToken, randomBelow } from '../../kernel/ids.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { AccountStore } from '../account-store.ts';
import { isAnswer, type Puzzle, type PuzzleSettings, posePuzzle, readToken } from './captcha-puzzle.ts';

/** The challenge of a registration: a question of ours, or the widget of a provider. */
export type Challenge =
  | (Puzzle & { readonly kind: 'puzzle' })
  | { readonly kind: 'provider'; readonly provider: string; readonly siteKey: string };

/** The response to a challenge. */
export type Proof = {
  readonly token: string | undefined;
  readonly answer: string | number | undefined;
  /** From a provider's widget. */
  readonly response: string | undefined;
  readonly ip: string;
};

/** The captcha in use. `prove` throws CAPTCHA_FAILED, or SERVICE_UNAVAILABLE when a provider does not answer. */
export type Captcha = {
  /** A question of ours is asked in `language`; answers are taken in every language. */
  challenge(language: PageLanguage): Challenge;
  prove(proof: Proof): Promise<void>;
};

/** The same refusal for every invalid response, and for filled honeypots. */
export const captchaFailed = (): Refusal =>
  new Refusal('CAPTCHA_FAILED', 'The captcha was not solved. Please request a new one.');

/** `min_solve_ms` is public, and the answer has not been looked at, so this tells a program nothing. */
const tooFast = (minSolveMs: number): Refusal =>
  new Refusal(
    'CAPTCHA_FAILED',
    'The captcha was answered too fast. Wait until min_solve_ms have passed since it was asked, and send it again.',
    { reason: 'too_fast', min_solve_ms: minSolveMs },
  );

/** The built-in captcha. The first answer uses the token up, right or wrong, unless it came too early. */
export const puzzleCaptcha = (deps: {
  readonly puzzle: PuzzleSettings;
  readonly store: Pick<AccountStore, 'useNonce'>;
  readonly clock: Clock;
}): Captcha => ({
  challenge: (language) => ({
    kind: 'puzzle',
    ...posePuzzle(deps.puzzle, { now: deps.clock(), nonce: newToken(), pick: randomBelow, language }),
  }),
  prove: async ({ token, answer }) => {
    const reading = readToken(token, deps.puzzle, deps.clock());
    if (!reading.isGood) {
      throw reading.why === 'too_fast' ? tooFast(deps.puzzle.minSolveMs) : captchaFailed();
    }
    if (!(await deps.store.useNonce(reading.nonce, reading.expiresAt))) throw captchaFailed();
    if (!isAnswer(answer, reading)) throw captchaFailed();
  },
});

import { statusOf } from '../../contract/errors.ts';
import { ownValue } from '../../kernel/own-value.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { NetworkError, ServerError } from './server-error.ts';
import type { Terminal } from './terminal.ts';

/** The exit codes, for scripts. */
export const exit = {
  ok: 0,
  failed: 1,
  usage: 2,
  unavailable: 3,
  auth: 4,
  notFound: 5,
  credits: 6,
  limited: 7,
  partial: 8,
  network: 9,
  interrupted: 130,
} as const;

/** The exit code for an error; `isUnavailable` recognizes errors of an unavailable database. */
export const exitCodeOf = (error: unknown, { isUnavailable }: Pick<Terminal, 'isUnavailable'>): number => {
  if (error instanceof Refusal) return exitCodeOfAnswer(error.code, statusOf[error.code]);
  if (error instanceof NetworkError) return exit.network;
  if (error instanceof ServerError) return exitCodeOfAnswer(error.code, ownValue(statusOf, error.code) ?? error.status);
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if (isUnavailable(cause)) return exit.network;
    cause = cause.cause;
  }
  return exit.failed;
};

/** By the status, which every code has. */
const exitCodeOfAnswer = (code: string, status: number): number =>
  code === 'CAPTCHA_FAILED' ? exit.auth : (byStatus[status] ?? (status >= 500 ? exit.network : exit.usage));

const byStatus: Readonly<Record<number, number>> = {
  401: exit.auth,
  402: exit.credits,
  403: exit.auth,
  404: exit.notFound,
  409: exit.failed,
  429: exit.limited,
};

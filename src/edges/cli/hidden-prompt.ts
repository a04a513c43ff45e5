import { invalidRequest } from '../../kernel/refusal.ts';
import { ask, canAsk } from './prompt.ts';
import { firstLine, type Terminal } from './terminal.ts';

/**
 * Reads a new password: by two hidden prompts on a terminal, else the first line of stdin.
 * Throws INVALID_REQUEST if it is empty, or if the two differ.
 */
export const newPasswordFrom = async (terminal: Terminal): Promise<string> => {
  if (!canAsk(terminal)) return requirePassword(await firstLine(terminal.stdin));
  const password = requirePassword(await ask(terminal, 'New password: ', { isHidden: true }));
  if ((await ask(terminal, 'Once more: ', { isHidden: true })) === password) return password;
  throw wrongPassword('the two passwords differ');
};

const requirePassword = (password: string): string => {
  if (password === '') throw wrongPassword('no password: type one, or give it as a line on stdin');
  return password;
};

const wrongPassword = (message: string) =>
  invalidRequest(message, { path: 'password', code: 'invalid_value' });

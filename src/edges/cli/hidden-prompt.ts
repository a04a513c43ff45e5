import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { invalidRequest } from '../../kernel/refusal.ts';
import { firstLine, say, type Terminal } from './terminal.ts';

/**
 * A new password: on a terminal it is asked for twice and nothing of it is shown, elsewhere it is the first line of stdin.
 * Throws INVALID_REQUEST where there is none, or where the two differ.
 */
export const newPasswordFrom = async (terminal: Terminal): Promise<string> => {
  const { stdin } = terminal;
  if (!('isTTY' in stdin && stdin.isTTY === true)) return requirePassword(await firstLine(stdin));
  const password = requirePassword(await ask(terminal, 'New password: '));
  if ((await ask(terminal, 'Once more: ')) === password) return password;
  throw wrongPassword('the two passwords differ');
};

const requirePassword = (password: string): string => {
  if (password === '') throw wrongPassword('no password: type one, or give it as a line on stdin');
  return password;
};

const wrongPassword = (message: string) =>
  invalidRequest(message, { path: 'password', code: 'invalid_value' });

const ask = async (terminal: Terminal, question: string): Promise<string> => {
  const { stdin, stderr, signal } = terminal;
  stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: stdin, output: silent, terminal: true, historySize: 0 });
  // The prompt takes the keys as they are: Ctrl-C is no signal then, and Ctrl-D ends it without an answer.
  prompt.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  prompt.once('close', () => resolve(''));
  try {
    return await Promise.race([prompt.question('', { signal }), closed]);
  } finally {
    prompt.close();
    say(terminal, '');
  }
};

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { invalidValue } from './option-parsers.ts';
import { firstLine, say, type Terminal } from './terminal.ts';

/** Whether stdin is an interactive terminal, on which prompts are wanted. */
export const canAsk = ({ stdin, isAsking }: Pick<Terminal, 'stdin' | 'isAsking'>): boolean =>
  isAsking() && 'isTTY' in stdin && stdin.isTTY === true;

/** Asks for one line at the terminal; with `isHidden` nothing of it is shown. Empty where none was typed. */
export const ask = async (
  terminal: Pick<Terminal, 'stdin' | 'stderr' | 'signal'>,
  question: string,
  { isHidden }: { readonly isHidden: boolean },
): Promise<string> => {
  const { stdin, stderr, signal } = terminal;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isHidden ? silent : stderr;
  if (isHidden) stderr.write(question);
  const prompt = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  // The prompt uses raw mode: Ctrl-C sends no signal, and Ctrl-D ends the prompt without an answer.
  prompt.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  prompt.once('close', () => resolve(''));
  try {
    return await Promise.race([prompt.question(isHidden ? '' : question, { signal }), closed]);
  } finally {
    prompt.close();
    if (isHidden) say(terminal, '');
  }
};

/**
 * Reads a new password: by two hidden prompts on a terminal, else the first line of stdin.
 * Throws INVALID_REQUEST if it is empty, or if the two differ.
 */
export const newPasswordFrom = async (terminal: Terminal): Promise<string> => {
  if (!canAsk(terminal)) return requirePassword(await firstLine(terminal.stdin));
  const password = requirePassword(await ask(terminal, 'New password: ', { isHidden: true }));
  if ((await ask(terminal, 'Once more: ', { isHidden: true })) === password) return password;
  throw invalidValue('password', 'the two passwords differ');
};

const requirePassword = (password: string): string => {
  if (password === '') throw invalidValue('password', 'no password: enter one, or give it as a line on stdin');
  return password;
};

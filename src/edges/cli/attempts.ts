import { Refusal } from '../../kernel/refusal.ts';
import { exit, exitCodeOf } from './exit-codes.ts';
import { NetworkError, ServerError } from './server-error.ts';
import { say, type Terminal } from './terminal.ts';

const codesForAll: readonly string[] = [
  'INVALID_API_KEY',
  'ACCOUNT_SUSPENDED',
  'FORBIDDEN',
  'INSUFFICIENT_CREDITS',
];

/** Whether everything that follows would fail in the same way: no server, no right, no credits. */
const isForAll = (error: unknown): boolean =>
  error instanceof NetworkError ||
  ((error instanceof Refusal || error instanceof ServerError) && codesForAll.includes(error.code));

/** Work on many things, of which some may fail: each failure is told, and the others go on. What fails for all is thrown. */
export const attemptsOn = (terminal: Terminal) => {
  let done = 0;
  let failure: number | null = null;
  return {
    /** What was made; null where it failed. `counts: false`: what only leads to the things themselves. */
    async of<Made>(
      about: string,
      work: () => Promise<Made>,
      { counts = true }: { readonly counts?: boolean } = {},
    ): Promise<Made | null> {
      try {
        const made = await work();
        if (counts) done += 1;
        return made;
      } catch (error) {
        if (terminal.signal.aborted || isForAll(error)) throw error;
        failure ??= exitCodeOf(error, terminal);
        say(terminal, `${about}: ${messageOf(error)}`);
        return null;
      }
    },
    /** How the verb ends: `partial` where some were done, the code of the first failure where none was. */
    code: (): number => {
      if (failure === null) return exit.ok;
      return done > 0 ? exit.partial : failure;
    },
  };
};

/** Why it failed; where other languages are there, which. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const hasDetails = error instanceof Refusal || error instanceof ServerError;
  const available = hasDetails ? error.details?.['available'] : undefined;
  return Array.isArray(available)
    ? `${error.message} There are: ${available.join(', ')}.`
    : error.message;
};

import { Refusal } from '../../kernel/refusal.ts';
import { exit, exitCodeOf } from './exit-codes.ts';
import { NetworkError, ServerError } from './server-error.ts';
import { say, type Terminal } from './terminal.ts';
import { FileError } from './write-file.ts';

const codesForAll: readonly string[] = ['INVALID_API_KEY', 'ACCOUNT_SUSPENDED', 'FORBIDDEN', 'INSUFFICIENT_CREDITS'];

/** Whether all further requests would fail in the same way: no server, no permission, no credits, no place to write to. */
const isForAll = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof FileError ||
  ((error instanceof Refusal || error instanceof ServerError) && codesForAll.includes(error.code));

/** Runs work on many items: failures are printed and the other items go on. An error that affects all items is thrown. */
export const attemptsOn = (terminal: Terminal) => {
  let done = 0;
  let failure: number | null = null;
  return {
    /** The result; null after a failure. `counts: false`: a preparatory step, not an item. */
    async of<Result>(
      about: string,
      work: () => Promise<Result>,
      { counts = true }: { readonly counts?: boolean } = {},
    ): Promise<Result | null> {
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
    /** The exit code: `partial` if some items succeeded, the code of the first failure if none did. */
    code: (): number => {
      if (failure === null) return exit.ok;
      return done > 0 ? exit.partial : failure;
    },
  };
};

/** The message of a failure, with the available languages if another one was requested. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const hasDetails = error instanceof Refusal || error instanceof ServerError;
  const available = hasDetails ? error.details?.['available'] : undefined;
  const hasOthers = Array.isArray(available) && available.length > 0;
  return hasOthers ? `${error.message} Available: ${available.join(', ')}.` : error.message;
};

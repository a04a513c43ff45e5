import { InvalidArgumentError } from 'commander';
import { Refusal } from '../../kernel/refusal.ts';
import { say, type Terminal } from './terminal.ts';

const longest = 255;

/** An idempotency key of an operator command. */
export const parseId = (text: string): string => {
  if (text.trim() !== '' && text.length <= longest) return text;
  throw new InvalidArgumentError(`It has 1 to ${longest} characters.`);
};

/** Runs a command under its `id`. If the response is lost, prints how to repeat it under the same id. */
export const sentOnce = async <Done>(
  terminal: Pick<Terminal, 'stderr'>,
  id: string,
  send: () => Promise<Done>,
): Promise<Done> => {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Refusal)) {
      say(terminal, `It may have been done: send it again with --id ${id}, and it is done once.`);
    }
    throw error;
  }
};

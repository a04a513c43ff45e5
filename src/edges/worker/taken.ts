import type { Job } from 'graphile-worker';
import { z } from 'zod';
import {
  deathsUntilAlone,
  deathsUntilGivenUp,
  deathsUse,
  mostTries,
  type Work,
} from '../../kernel/work.ts';

/** A piece of work as the queue hands it over, its try counted. */
export type Taken = Pick<
  Job,
  'key' | 'payload' | 'priority' | 'flags' | 'attempts' | 'max_attempts'
>;

const Payload = z.looseObject({ deaths: z.int().default(0) });

export const usesOf = ({ flags }: Pick<Taken, 'flags'>): readonly string[] =>
  Object.keys(flags ?? {});

/** Tries of this work with this one, also those that it had before it came back into the queue. */
export const triesOf = ({
  attempts,
  max_attempts: most,
}: Pick<Taken, 'attempts' | 'max_attempts'>): number => mostTries - (most - attempts);

/** Whether it is to work alone: processes have died while they worked at it. */
export const isSuspect = ({ payload }: Pick<Taken, 'payload'>): boolean =>
  Payload.parse(payload).deaths >= deathsUntilAlone;

/** Why it is not even tried any more, or null. */
export const deadlyOf = ({ payload }: Pick<Taken, 'payload'>): Error | null => {
  const { deaths } = Payload.parse(payload);
  return deaths < deathsUntilGivenUp
    ? null
    : new Error(`${deaths} processes died while they worked at this`);
};

/**
 * The same work once more, this try not counted; under its key it takes the place of the piece that was taken. None when
 * the piece has no key: it was asked for anew while somebody worked at it, and the newer one stands for it.
 */
export const onceMore = (task: string, taken: Taken): readonly Work[] => {
  const { key, payload, priority, attempts, max_attempts: most } = taken;
  if (key === null) return [];
  const uses = usesOf(taken);
  const tries = most - attempts + 1;
  return [{ task, key, payload: Payload.parse(payload), runAt: null, priority, uses, tries }];
};

/**
 * The same work as several pieces, one for each of these payloads. Each begins under suspicion, however many deaths met
 * all together: an earlier version divides nothing, and what was never alone is not given up with the guilty one.
 */
export const inParts = (
  task: string,
  taken: Taken,
  payloads: readonly Work['payload'][],
): readonly Work[] => {
  const { deaths } = Payload.parse(taken.payload);
  const tries = deaths < deathsUntilGivenUp ? {} : { tries: mostTries };
  return onceMore(task, taken).flatMap((work) =>
    payloads.map((payload, part) => ({
      ...work,
      ...tries,
      key: `${work.key}|${part}`,
      uses: work.uses.filter((use) => !use.startsWith(`${deathsUse}:`)),
      payload: { ...payload, deaths: Math.min(deaths, deathsUntilAlone) },
    })),
  );
};

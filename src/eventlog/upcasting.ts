import { z } from 'zod';
import type { EventSchemas } from './event-schema.ts';

/** The data of one event under one schema version; JSON values only. */
export type EventData = Readonly<Record<string, unknown>>;

/**
 * For each event type and old schema version, the pure function from the data of that version to those of the next. There
 * are no gaps: a type with upcasters for 1 and 2 is at version 3. A type without upcasters is at version 1.
 */
export type Upcasters = Readonly<Record<string, Readonly<Record<number, (data: EventData) => EventData>>>>;

/**
 * The schema version of a new event whose writer leaves it to the log, so that no writer keeps an old version by
 * oversight. Events that are hashed before they are appended take their version from `versionOf`.
 */
export const currentSchemaVersion = 0;

/** An event was written by a later version of the program: its reader must stop and not guess. `known` 0: the type is unknown. */
export class NewerSchemaVersionError extends Error {
  override readonly name = 'NewerSchemaVersionError';

  constructor(type: string, schemaVersion: number, known: number) {
    const what =
      known === 0
        ? `${type} is not known to this program`
        : `${type} has schema version ${schemaVersion}, this program knows ${known}`;
    super(`${what}: start the version that wrote it, or a later one`);
  }
}

export type Upcasting = ReturnType<typeof upcasting>;

/**
 * Checks that the upcasters of each type have no gap, and joins them. `schemas`: of all events that the log may contain, in
 * the current version; what upcasters return must fit them. Without them every type is known.
 */
export const upcasting = (upcasters: Upcasters, schemas: EventSchemas | null = null) => {
  const known = schemas === null ? null : new Map(Object.entries(schemas));
  const chains = new Map(Object.entries(upcasters).map(([type, steps]) => [type, chainOf(type, steps)] as const));
  const versionOf = (type: string): number => (chains.get(type)?.length ?? 0) + 1;

  return {
    /** The known types; null: any. */
    types: known === null ? null : [...known.keys()],
    /** The current schema version of a type. */
    versionOf,
    /** The data in the current schema version. Throws `NewerSchemaVersionError` for an unknown type or version. */
    upcast: (type: string, schemaVersion: number, data: EventData): EventData => {
      if (known?.has(type) === false) throw new NewerSchemaVersionError(type, schemaVersion, 0);
      const chain = chains.get(type);
      const current = (chain?.length ?? 0) + 1;
      if (schemaVersion === current) return data;
      if (schemaVersion > current || chain === undefined) {
        throw new NewerSchemaVersionError(type, schemaVersion, current);
      }
      const upcast = chain.slice(schemaVersion - 1).reduce((old, step) => step(old), data);
      const checked = known?.get(type)?.safeParse(upcast);
      if (checked?.error !== undefined) {
        const what = z.prettifyError(checked.error);
        throw new Error(`upcasting ${type} from version ${schemaVersion}: ${what}`);
      }
      return upcast;
    },
  };
};

const chainOf = (
  type: string,
  steps: Readonly<Record<number, (data: EventData) => EventData>>,
): readonly ((data: EventData) => EventData)[] =>
  Object.keys(steps)
    .map(Number)
    .sort((a, b) => a - b)
    .map((from, index) => {
      const step = steps[from];
      if (from !== index + 1 || step === undefined) {
        throw new Error(`the upcasters of ${type} have a gap before version ${from}`);
      }
      return step;
    });

/** The data of one event under one schema version; JSON values only. */
export type EventData = Readonly<Record<string, unknown>>;

/**
 * Per event type, per old schema version: the data of that version turned into those of the next. Pure, and
 * without gaps: a type with the steps 1 and 2 is at version 3 today. A type without steps is at version 1.
 */
export type Upcasters = Readonly<
  Record<string, Readonly<Record<number, (data: EventData) => EventData>>>
>;

/**
 * What a new event says instead of a schema version: that of today, which the log knows. So no writer goes on with an
 * old one by oversight. What is hashed before it is appended says its version itself, by `versionOf`.
 */
export const currentSchemaVersion = 0;

/** An event was written by a later version of the program: whoever reads it must stop, never guess. `known` 0: not even its type is known. */
export class NewerSchemaVersionError extends Error {
  readonly type: string;
  readonly schemaVersion: number;
  readonly known: number;

  constructor(type: string, schemaVersion: number, known: number) {
    const what =
      known === 0
        ? `${type} is not known to this program`
        : `${type} has schema version ${schemaVersion}, this program knows ${known}`;
    super(`${what}: start the version that wrote it, or a later one`);
    this.name = 'NewerSchemaVersionError';
    this.type = type;
    this.schemaVersion = schemaVersion;
    this.known = known;
  }
}

export type Upcasting = {
  /** All that are known here; null: any. */
  readonly types: readonly string[] | null;
  /** The schema version of a type today. */
  readonly versionOf: (type: string) => number;
  /** The data in today's shape. Throws `NewerSchemaVersionError` for a type or a version that is not known here. */
  readonly upcast: (type: string, schemaVersion: number, data: EventData) => EventData;
};

/**
 * Checks that the steps of each type have no gap, and makes them one function. `types`: all that can stand in the log;
 * without them every type is known.
 */
export const upcasting = (
  upcasters: Upcasters,
  types: readonly string[] | null = null,
): Upcasting => {
  const knownTypes = types === null ? null : new Set(types);
  const chains = new Map(
    Object.entries(upcasters).map(([type, steps]) => [type, chainOf(type, steps)] as const),
  );
  const versionOf = (type: string): number => (chains.get(type)?.length ?? 0) + 1;

  return {
    types,
    versionOf,
    upcast: (type, schemaVersion, data) => {
      if (knownTypes?.has(type) === false)
        throw new NewerSchemaVersionError(type, schemaVersion, 0);
      const chain = chains.get(type);
      const known = (chain?.length ?? 0) + 1;
      if (schemaVersion === known) return data;
      if (schemaVersion > known || chain === undefined) {
        throw new NewerSchemaVersionError(type, schemaVersion, known);
      }
      return chain.slice(schemaVersion - 1).reduce((upcast, step) => step(upcast), data);
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

/** The member of a table with this name; undefined also for a name that every object inherits, such as `toString`. */
export const ownValue = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

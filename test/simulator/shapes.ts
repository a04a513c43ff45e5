const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
};

const collect = (value: unknown, path: readonly string[], kinds: Set<string>): void => {
  const [name, ...rest] = path;
  if (name === undefined) {
    if (value !== undefined) kinds.add(kindOf(value));
  } else if (name === '*') {
    if (Array.isArray(value)) for (const item of value) collect(item, rest, kinds);
  } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const found = Object.entries(value).find(([key]) => key === name);
    if (found) collect(found[1], rest, kinds);
  }
};

/** The types of the values at a dotted path (`*`: every element of a list), such as `string` or `number|string`; empty if none. */
export const shapeAt = (value: unknown, path: string): string => {
  const kinds = new Set<string>();
  collect(value, path.split('.'), kinds);
  return [...kinds].sort().join('|');
};

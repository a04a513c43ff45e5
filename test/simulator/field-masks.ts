const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const keep = (value: unknown, path: readonly string[]): unknown => {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => keep(item, path));
  if (!isRecord(value) || !(name in value)) return undefined;
  const kept = keep(value[name], rest);
  return kept === undefined ? undefined : { [name]: kept };
};

const merge = (left: unknown, right: unknown): unknown => {
  if (!isRecord(left) || !isRecord(right)) return right ?? left;
  const merged = { ...left };
  for (const [name, value] of Object.entries(right)) merged[name] = merge(merged[name], value);
  return merged;
};

/** Applies the field mask `$fields=a,b.c` to an answer; null returns it whole. */
export const masked = (answer: object, mask: string | null): object => {
  if (!mask) return answer;
  let result: unknown = {};
  for (const path of mask.split(',')) result = merge(result, keep(answer, path.split(/[./]/)));
  return isRecord(result) ? result : {};
};

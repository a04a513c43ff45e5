import { ownValue } from '../../../kernel/own-value.ts';
import { isObject } from './json-rpc.ts';
import type { Tool } from './tools/tool.ts';

/** Names that models give to an argument, and the one that it has. An earlier name comes first. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  video_id: ['video_id', 'videoId', 'url', 'video'],
  lang: ['lang', 'language'],
};
const isAlias = new Set(Object.values(aliases).flat());

type Arguments = Readonly<Record<string, unknown>>;

/**
 * The arguments of a call under the names that the tool knows. Texts that hold a number or a boolean become one where
 * the tool takes one, and the other way round; null is the same as left out. `ignored` names what the call does not use.
 */
export const argumentsFor = (
  { definition, unusedOf }: Pick<Tool, 'definition' | 'unusedOf'>,
  given: Arguments,
): { readonly known: Arguments; readonly ignored: readonly string[] } => {
  const { properties } = definition.inputSchema;
  const known: Record<string, unknown> = {};
  for (const name of Object.keys(properties)) {
    const value = (ownValue(aliases, name) ?? [name])
      .filter((each) => Object.hasOwn(given, each))
      .map((each) => given[each])
      .find((each) => each !== null && each !== undefined && each !== '');
    if (value !== undefined) known[name] = coerced(value, properties[name]?.['type']);
  }
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(properties, name) && !isAlias.has(name));
  const ignored = [...(unusedOf?.(known) ?? []), ...unknown];
  for (const name of ignored) delete known[name];
  return { known, ignored: ignored.slice(0, 20).map((name) => name.slice(0, 100)) };
};

const coerced = (value: unknown, type: unknown): unknown => {
  if (type === 'integer' && typeof value === 'string' && /^\s*-?\d{1,9}\s*$/.test(value)) {
    return Number(value);
  }
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (type === 'string' && typeof value === 'number') return String(value);
  return value;
};

/** The `arguments` of a call; the endpoint has refused what is no object. */
export const argumentsOf = ({ arguments: given }: Arguments): Arguments => (isObject(given) ? given : {});

/** A field of an event as its declaration shows it. */
export type DeclaredField = {
  readonly name: string;
  readonly type: string;
  /** The comment at the field, null when there is none. */
  readonly comment: string | null;
};

/** An event as its declaration shows it. */
export type DeclaredEvent = { readonly comment: string; readonly fields: readonly DeclaredField[] };

const bracket: Readonly<Record<string, number>> = {
  '{': 1,
  '(': 1,
  '[': 1,
  '<': 1,
  '}': -1,
  ')': -1,
  ']': -1,
  '>': -1,
};

/**
 * Splits source at a character outside of brackets, quotes and comments. It handles the types that
 * Biome has formatted, not all of TypeScript: arrows and comparisons are not supported.
 */
const cut = (text: string, at: string): readonly string[] => {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index] ?? '';
    if (text.startsWith('/*', index)) index = text.indexOf('*/', index) + 1;
    else if (sign === "'") index = text.indexOf("'", index + 1);
    else if (sign === at && depth === 0) {
      parts.push(text.slice(from, index));
      from = index + 1;
    } else depth += bracket[sign] ?? 0;
  }
  return [...parts, text.slice(from)];
};

/** The words of a doc comment as one line. */
const wordsOf = (comment: string): string =>
  comment
    .replace(/^\/\*\*|\*\/$/g, '')
    .replace(/\n\s*\* ?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const oneLine = (type: string): string =>
  type
    .replace(/\s+/g, ' ')
    .replace(/^ ?\| /, '')
    .trim();

/** The right side of `export type Name = …;`, null where it is not declared. */
export const typeIn = (source: string, name: string): string | null => {
  const head = `export type ${name} =`;
  const at = source.indexOf(head);
  if (at === -1) return null;
  return cut(source.slice(at + head.length), ';')[0] ?? null;
};

/** The doc comment right before a declaration, null where there is none. */
export const commentOn = (source: string, name: string): string | null => {
  const before = source.slice(0, Math.max(0, source.indexOf(`export type ${name} =`))).trimEnd();
  return before.endsWith('*/') ? wordsOf(before.slice(before.lastIndexOf('/**'))) : null;
};

/** Reads `export type Name = Event<'Name', { … }>` with its comments. Throws where it finds anything else. */
export const eventIn = (source: string, name: string): DeclaredEvent => {
  const [, inner = ''] = /^\s*Event<([\s\S]*)>\s*$/.exec(typeIn(source, name) ?? '') ?? [];
  const [, data = ''] = cut(inner, ',').map((part) => part.trim());
  const comment = commentOn(source, name);
  if (!data.startsWith('{')) throw new Error(`${name} is not declared as an event with fields`);
  if (comment === null) throw new Error(`${name} has no doc comment to be its entry`);
  const members = cut(data.slice(1, -1), ';').filter((member) => member.trim() !== '');
  return { comment, fields: members.map(fieldOf) };
};

const fieldOf = (member: string): DeclaredField => {
  const [, doc = null, name = '', optional = '', type = ''] =
    /^\s*(\/\*\*[\s\S]*?\*\/)?\s*(?:readonly )?(\w+)(\??):([\s\S]*)$/.exec(member) ?? [];
  if (name === '') throw new Error(`not a field: ${member}`);
  const shape = optional === '' ? oneLine(type) : `${oneLine(type)} | undefined`;
  return { name, type: shape, comment: doc === null ? null : wordsOf(doc) };
};

const maxDepth = 64;
const quote = 0x22;
const backslash = 0x5c;

/**
 * The violation of I-JSON (RFC 7493) in a text that `JSON.parse` accepts, or null: a duplicate member name, a lone
 * surrogate, or nesting deeper than 64. One pass over the text.
 */
export const findJsonFlaw = (text: string): string | null => {
  /** Names seen per open object; null per open array. */
  const open: (Set<string> | null)[] = [];
  let isNameNext = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      const end = endOfString(text, at);
      const written = text.slice(at + 1, end);
      const value = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
      if (!value.isWellFormed()) return 'a string holds half a character';
      const names = open.at(-1);
      if (isNameNext && names) {
        if (names.has(value)) return 'an object has the same name twice';
        names.add(value);
        isNameNext = false;
      }
      at = end;
    } else if (char === '{' || char === '[') {
      if (open.length === maxDepth) return `it is nested deeper than ${maxDepth}`;
      open.push(char === '{' ? new Set() : null);
      isNameNext = char === '{';
    } else if (char === '}' || char === ']') {
      open.pop();
      isNameNext = false;
    } else if (char === ',') {
      isNameNext = open.at(-1) instanceof Set;
    }
  }
  return null;
};

const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
};

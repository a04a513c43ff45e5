/** Control, format and bidirectional characters: they could hide text from a reader or break out of a line. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]+/gu;

/** One line of visible text. */
export const plainLine = (text: string): string => text.replace(hidden, ' ').replace(/\s+/gu, ' ').trim();

/** Visible text that keeps its line breaks. */
export const plainText = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) =>
      line
        .replace(hidden, ' ')
        .replace(/[^\S\n]+/gu, ' ')
        .trimEnd(),
    )
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

/**
 * Text for publication: Markdown images are removed, links keep their label, and of bare addresses only those that begin
 * with `allowed` stay. A transcript could make a model place a link.
 */
export const withoutLinks = (text: string, allowed: string | null): string => {
  const isAllowed = (url: string): boolean => allowed !== null && (url === allowed || url.startsWith(`${allowed}&`));
  return text
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\(([^)\s]*)[^)]*\)/g, (whole, label: string, url: string) => (isAllowed(url) ? whole : label))
    .replace(/<[a-z/!][^>]*>/gi, '')
    .replace(/\b(?:https?:\/\/|www\.)[^\s<>)\]]+/gi, (url) => (isAllowed(url.replace(/[.,;:!?]+$/, '')) ? url : ''))
    .replace(/[^\S\n]{2,}/g, ' ');
};

/**
 * The JSON value in what a model wrote: small models put it between code fences, or after a block of reasoning.
 * Throws a SyntaxError.
 */
export const jsonIn = (text: string): unknown => {
  const answer = text
    .replace(/<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/gi, '')
    .replace(/^[\s\S]*<\/think(?:ing)?>/i, '')
    .trim();
  const fenced = /```(?:json)?\s*([\s\S]*?)```/i.exec(answer)?.[1];
  for (const candidate of [answer, fenced]) {
    if (candidate === undefined) continue;
    try {
      return JSON.parse(candidate);
    } catch {
      // The next form is tried; the last one reports.
    }
  }
  const [from, to] = [answer.indexOf('{'), answer.lastIndexOf('}')];
  return JSON.parse(from >= 0 && to > from ? answer.slice(from, to + 1) : answer);
};

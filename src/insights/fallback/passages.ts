/** One caption with words: its place in the text, its time in seconds. */
export type Line = {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
};

/** A word of the text. The term is empty where the word carries no topic. */
export type Token = {
  readonly word: string;
  readonly term: string;
  readonly at: number;
  readonly end: number;
  readonly line: number;
};

/** A part of the text, of its captions and of its tokens; the last caption and token are outside. */
export type Passage = {
  readonly from: number;
  readonly to: number;
  readonly firstLine: number;
  readonly endLine: number;
  readonly firstToken: number;
  readonly endToken: number;
};

type Read = { readonly lines: readonly Line[]; readonly tokens: readonly Token[] };

/** The caption at a place of the text. */
export const lineAt = (lines: readonly Line[], place: number): number => {
  let [low, high] = [0, lines.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle]?.from ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** Whole captions, from one to before another. */
export const linesOf = ({ lines, tokens }: Read, firstLine: number, endLine: number): Passage => ({
  from: lines[firstLine]?.from ?? 0,
  to: lines[endLine - 1]?.to ?? 0,
  firstLine,
  endLine,
  firstToken: firstTokenAfter(tokens, firstLine, 'line'),
  endToken: firstTokenAfter(tokens, endLine, 'line'),
});

/** The first token whose place is at or after a given one, by binary search. */
export const firstTokenAfter = (
  tokens: readonly Token[],
  place: number,
  by: 'line' | 'at',
): number => {
  let [low, high] = [0, tokens.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle]?.[by] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The time of a passage: from the start of its first caption to the end of its last. */
export const timeOf = (
  { lines }: Pick<Read, 'lines'>,
  { firstLine, endLine }: Passage,
): { readonly start: number; readonly end: number } => {
  const start = lines[firstLine]?.start ?? 0;
  let end = start;
  for (let line = firstLine; line < endLine; line += 1) end = Math.max(end, lines[line]?.end ?? 0);
  return { start, end };
};

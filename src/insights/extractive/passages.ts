/** One caption with words: its place in the text, its time in seconds. */
export type Line = { readonly from: number; readonly to: number; readonly start: number; readonly end: number };

/** A word of the text. The term is empty where the word carries no topic. */
export type Token = {
  readonly word: string;
  readonly term: string;
  readonly at: number;
  readonly end: number;
  readonly line: number;
};

/** A part of the text, of its captions and of its tokens; the last caption and token are outside. */
export type Passage = Readonly<Record<'from' | 'to' | 'firstLine' | 'endLine' | 'firstToken' | 'endToken', number>>;

type TokenizedLines = { readonly lines: readonly Line[]; readonly tokens: readonly Token[] };

/** How many numbers from 0 to below `end` come before the first that is not `isBefore`, by binary search. */
export const countBefore = (end: number, isBefore: (at: number) => boolean): number => {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The caption at a place of the text. */
export const lineAt = (lines: readonly Line[], place: number): number =>
  Math.max(0, countBefore(lines.length, (at) => (lines[at]?.from ?? 0) <= place) - 1);

/** Whole captions, from one to before another. */
export const linesOf = ({ lines, tokens }: TokenizedLines, firstLine: number, endLine: number): Passage => ({
  from: lines[firstLine]?.from ?? 0,
  to: lines[endLine - 1]?.to ?? 0,
  firstLine,
  endLine,
  firstToken: firstTokenAfter(tokens, firstLine, 'line'),
  endToken: firstTokenAfter(tokens, endLine, 'line'),
});

/** The first token whose place is at or after a given one. */
export const firstTokenAfter = (tokens: readonly Token[], place: number, by: 'line' | 'at'): number =>
  countBefore(tokens.length, (at) => (tokens[at]?.[by] ?? 0) < place);

/** The time of a passage: from the start of its first caption to the end of its last. */
export const timeOf = ({ lines }: Pick<TokenizedLines, 'lines'>, { firstLine, endLine }: Passage) => {
  const start = lines[firstLine]?.start ?? 0;
  let end = start;
  for (let line = firstLine; line < endLine; line += 1) end = Math.max(end, lines[line]?.end ?? 0);
  return { start, end };
};

/** Whether two passages share neither a caption nor a time. */
export const areApart = (read: Pick<TokenizedLines, 'lines'>, a: Passage, b: Passage): boolean => {
  const [x, y] = [timeOf(read, a), timeOf(read, b)];
  const isInOrder = a.endLine <= b.firstLine || b.endLine <= a.firstLine;
  return isInOrder && (x.end <= y.start || y.end <= x.start);
};

import { type RawLine, UnreadableCaptions } from './caption-line.ts';
import { readXml } from './caption-xml.ts';
import { readJson3 } from './json3.ts';

/** The formats that are understood. `srv2` shares the reader of `srv3`. */
export type CaptionFormat = 'json3' | 'srv3' | 'srv1' | 'vtt';

/** Reads the lines of a `json3`, `srv1`, `srv2` or `srv3` document in their order; the body says which it is. */
export const readLines = (body: string): RawLine[] => {
  const start = body.trimStart();
  if (start.startsWith('{')) return readJson3(body);
  const head = start.slice(0, 600);
  if (/<(?:!doctype html|html)/i.test(head)) throw new UnreadableCaptions('html');
  if (head.includes('<transcript')) return readXml(body, '</transcript>');
  if (head.includes('<timedtext')) return readXml(body, '</timedtext>');
  throw new UnreadableCaptions('format');
};

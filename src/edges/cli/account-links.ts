import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { withBoundedLines } from '../../kernel/bounded-lines.ts';
import type { Terminal } from './terminal.ts';

const maxLineBytes = 64 * 1024;

/** The links that were typed; in the place of `-` those on the lines of stdin. */
export async function* linksOf(links: readonly string[], { stdin }: Pick<Terminal, 'stdin'>): AsyncGenerator<string> {
  for (const link of links) {
    if (link !== '-') {
      yield link;
      continue;
    }
    const input = Readable.from(withBoundedLines(stdin, maxLineBytes));
    for await (const line of createInterface({ input })) {
      if (line.trim() !== '') yield line.trim();
    }
  }
}

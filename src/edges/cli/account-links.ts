import { linesIn, type Terminal } from './terminal.ts';

const maxLineBytes = 64 * 1024;

/** The links that were typed; in the place of `-` those on the lines of stdin. */
export async function* linksOf(links: readonly string[], { stdin }: Pick<Terminal, 'stdin'>): AsyncGenerator<string> {
  for (const link of links) {
    if (link !== '-') {
      yield link;
      continue;
    }
    for await (const line of linesIn({ stdin }, maxLineBytes)) yield line.trim();
  }
}

import type { Row } from './row.ts';

type Bench = { readonly run: () => Promise<readonly Row[]> };

/** Runs one bench in a child process and sends its rows to the parent, because some libraries change globals. */
const [path = ''] = process.argv.slice(2);
const bench: Bench = await import(path);
const rows = await bench.run();
process.send?.(rows, undefined, undefined, () => process.exit(0));

import type { Row } from './row.ts';

type Bench = { readonly run: () => Promise<readonly Row[]> };

/** Runs one bench in a process of its own and tells its rows to the parent: libraries that change globals stay alone. */
const [path = ''] = process.argv.slice(2);
const bench: Bench = await import(path);
const rows = await bench.run();
process.send?.(rows, undefined, undefined, () => process.exit(0));

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packBundle } from './pack.ts';

// `npm run bundle [FILE]`: writes dist/steno.mcpb.
const target = resolve(process.argv[2] ?? fileURLToPath(new URL('../../dist/steno.mcpb', import.meta.url)));
await packBundle(target);
process.stdout.write(`${target}\n`);

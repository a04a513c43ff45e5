import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generatedFiles } from './files.ts';

// `npm run clients`: writes what the clients have from docs/openapi.json.
for (const [path, text] of generatedFiles()) {
  const target = new URL(`../../${path}`, import.meta.url);
  mkdirSync(dirname(target.pathname), { recursive: true });
  writeFileSync(target, text);
}

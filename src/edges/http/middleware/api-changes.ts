import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { changelogSchema } from '../../../contract/meta.ts';

/** The entries of the data file; throws when the file is invalid. */
export const apiChanges = (): z.output<typeof changelogSchema> => {
  const file = new URL('api-changes.json', import.meta.url);
  return changelogSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
};

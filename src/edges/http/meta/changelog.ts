import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { OpenEndpoint } from '../../../contract/endpoint.ts';
import { json } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';

const changelogSchema = z
  .array(
    z.object({
      version: z.string().regex(/^\d+\.\d+\.\d+$/),
      date: z.iso.date(),
      type: z.enum(['added', 'changed', 'deprecated', 'removed', 'fixed', 'security']),
      summary: z.string().min(1),
      operations: z.array(z.string()).meta({ description: 'Operation ids of the description.' }),
    }),
  )
  .meta({ id: 'Changelog' });

const readChangelog = {
  access: 'anyone',
  rateLimit: 'public',
  cacheControl: 'public, max-age=60',
  id: 'getChangelog',
  method: 'GET',
  path: '/api/changelog.json',
  tag: 'Meta',
  summary: 'What has changed in the API, newest first',
  description: 'What changed in the API, the newest first.',
  answers: { 200: { description: 'The entries.', schema: changelogSchema } },
} satisfies OpenEndpoint;

export const changelogEndpoints = [readChangelog] as const;

/** The entries of the data file; throws when the file is invalid. */
export const apiChanges = (): z.output<typeof changelogSchema> => {
  const file = new URL('changelog.json', import.meta.url);
  return changelogSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
};

/** Entries are read at the start, so that an invalid file stops it. */
export const changelog = (): Route[] => {
  const entries = apiChanges();
  return [openRoute(readChangelog, async () => json(entries))];
};

import { readChangelog } from '../../../contract/meta.ts';
import { apiChanges } from '../middleware/api-changes.ts';
import { json } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';

/** Entries are read at the start, so that an invalid file stops it. */
export const changelog = (): Route[] => {
  const entries = apiChanges();
  return [openRoute(readChangelog, async () => json(entries))];
};

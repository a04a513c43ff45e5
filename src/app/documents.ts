import { writeFileSync } from 'node:fs';
import { openApiText } from '../edges/http/routes.ts';
import { eventsPage } from './events-page.ts';
import { environmentExample, settingsPage } from './settings-page.ts';

/** A generated document; `path` within the repository. */
export type MadeDocument = { readonly path: string; readonly text: string };

/** All generated documents. */
export const madeDocuments = (): readonly MadeDocument[] => [
  { path: 'docs/openapi.json', text: openApiText() },
  { path: 'docs/events.md', text: eventsPage() },
  { path: 'docs/settings.md', text: settingsPage() },
  { path: '.env.example', text: environmentExample() },
];

/** Writes all generated documents and returns their paths. */
export const writeDocuments = (): readonly string[] =>
  madeDocuments().map(({ path, text }) => {
    writeFileSync(new URL(`../../${path}`, import.meta.url), text);
    return path;
  });

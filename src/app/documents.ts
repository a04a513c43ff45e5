import { writeFileSync } from 'node:fs';
import { openApiText } from '../edges/http/reference.ts';

/** A document that is made from the program; `path` within the repository. */
export type MadeDocument = { readonly path: string; readonly text: string };

/** All of them, as they have to be. */
export const madeDocuments = (): readonly MadeDocument[] => [
  { path: 'docs/openapi.json', text: openApiText() },
];

/** Writes all of them; answers their paths. */
export const writeDocuments = (): readonly string[] =>
  madeDocuments().map(({ path, text }) => {
    writeFileSync(new URL(`../../${path}`, import.meta.url), text);
    return path;
  });

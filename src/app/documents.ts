import { writeFileSync } from 'node:fs';
import type { Variable } from '../config/kinds.ts';
import { variables } from '../config.ts';
import { openApiText } from '../edges/http/routes.ts';
import { documentsWithTables } from './contract-tables.ts';
import { eventsPage } from './events-page.ts';

/** All generated documents; `path` within the repository. */
export const madeDocuments = (): readonly { readonly path: string; readonly text: string }[] => [
  { path: 'docs/openapi.json', text: openApiText() },
  { path: 'docs/events.md', text: eventsPage() },
  { path: 'docs/settings.md', text: settingsPage() },
  { path: '.env.example', text: environmentExample() },
  ...documentsWithTables(),
];

/** Writes all generated documents and returns their paths. */
export const writeDocuments = (): readonly string[] =>
  madeDocuments().map(({ path, text }) => {
    writeFileSync(new URL(`../../${path}`, import.meta.url), text);
    return path;
  });

/** The text of `.env.example`: every environment variable with its default, none of them set. */
const environmentExample = (): string => {
  const entries = Object.entries<Variable<unknown>>(variables).map(
    ([name, { about, fallback }]) => `# ${about}\n# ${name}=${fallback ?? ''}\n`,
  );
  return `# Every setting with its default. Copy this file to .env and take away the # of what you change.
# A secret may be in a file of its own: SECRET_KEY_FILE=path instead of SECRET_KEY=….\n\n${entries.join('\n')}`;
};

/** The text of `docs/settings.md`: every environment variable as the program reads it. */
const settingsPage = (): string => {
  const rows = Object.entries<Variable<unknown>>(variables).map(
    ([name, { about, fallback, may, isSecret, looser }]) => {
      const notes = [
        isSecret === true ? 'secret: never shown' : '',
        looser === undefined ? '' : 'a looser value is warned of at the start',
      ].filter((note) => note !== '');
      const remarks = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
      const given = fallback === null || fallback === '' ? '–' : `\`${fallback}\``;
      return `| \`${name}\` | ${about}${remarks} | ${may} | ${given} |`;
    },
  );
  return `# Settings

Every environment variable. This page and \`.env.example\` are made by \`npm run docs\` from \`src/config/variables.ts\`. What the environment leaves open, a file \`.env\` in the working folder may
set; copy \`.env.example\`, which has every default, to begin one. A value that is not valid ends the start with one line that names the variable, what it
holds and what it may hold.

Each secret may be in a file, as container platforms hand them over: \`SECRET_KEY_FILE=/run/secrets/steno\` in place of \`SECRET_KEY\`, and so for every variable that is marked as a secret. Line ends
around the content do not count. Both set, a file that cannot be read and an empty one end the start. A name in \`.env\` that no setting has is warned of with the nearest one, and so is a
name in the environment that differs from a setting in a character or two.

Durations are like \`500ms\`, \`5s\`, \`30m\`, \`2h\` or \`1d\`.

| Variable | Meaning | May hold | Default |
|---|---|---|---|
${rows.join('\n')}
`;
};

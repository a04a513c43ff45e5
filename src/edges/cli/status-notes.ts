import { type Command, Option } from 'commander';
import { answerOf } from '../../contract/answer-of.ts';
import {
  type NoteSeverity,
  noteSchema,
  noteSeverities,
  type StatusComponent,
  statusComponents,
  statusDays,
} from '../../contract/meta.ts';
import { shownLine } from '../../contract/schemas.ts';
import type { StatusNote } from '../../queries.ts';
import { parserOf, parseTime } from './option-parsers.ts';
import { type Columns, printRows } from './table.ts';
import { print, type Terminal } from './terminal.ts';

type Options = { severity: NoteSeverity; component?: StatusComponent; until?: string | null; json?: boolean };

const longestText = 2_000;

/** `steno status`: notes on the status page, in its JSON and in its feed. */
export const addStatusNotes = (status: Command, terminal: Terminal): void => {
  status
    .command('note')
    .description('show a note on the status page')
    .argument('<text>', 'text of the note', parseText)
    .addOption(
      new Option('--severity <severity>', 'severity').choices(noteSeverities).default('info' satisfies NoteSeverity),
    )
    .addOption(new Option('--component <part>', 'affected component').choices(statusComponents))
    .option(
      '--until <time>',
      `when it ends, such as 2027-01-31T18:00:00Z; default: until steno status end, at most ${statusDays} days`,
      parseTime,
    )
    .option('--json', 'print JSON')
    .action(async (text: string, { severity, component, until: endsAt = null, json = false }: Options) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      const note = await application.actions.addStatusNote({ text, severity, component: component ?? null, endsAt });
      const { noteId } = note;
      const said =
        endsAt === null
          ? `${noteId} is shown for ${statusDays} days; end it with: steno status end ${noteId}`
          : `${noteId} is shown until ${endsAt}`;
      await print(terminal, json ? JSON.stringify(noteJson(note)) : said);
    });
  status
    .command('notes')
    .description(`list the notes of the last ${statusDays} days`)
    .option('--json', 'print NDJSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      const notes = await application.actions.statusNotes();
      await printRows(terminal, notes.map(noteJson), columns, json);
    });
  status
    .command('end')
    .description('end a note on the status page')
    .argument('<id>', 'the note')
    .option('--json', 'print JSON')
    .action(async (noteId: string, { json = false }: { json?: boolean }) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      const note = await application.actions.endStatusNote(noteId);
      await print(terminal, json ? JSON.stringify(noteJson(note)) : `${noteId} has ended`);
    });
};

const noteAnswer = answerOf(noteSchema);

const noteJson = (note: StatusNote) => noteAnswer(note, { id: note.noteId });

const columns: Columns<ReturnType<typeof noteJson>> = {
  id: 'id',
  severity: 'severity',
  part: 'component',
  began: 'started_at',
  ends: 'ends_at',
  text: 'text',
};

/** One line of text for people: control characters would change what a terminal shows. */
const parseText = parserOf(
  shownLine(longestText).min(1),
  () => `It must be one line of 1 to ${longestText} characters, without control characters.`,
);

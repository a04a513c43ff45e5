import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import {
  type NoteSeverity,
  noteSeverities,
  type StatusComponent,
  type StatusNote,
  statusComponents,
} from '../../kernel/status-history.ts';
import { print, type Terminal } from './terminal.ts';

type Options = {
  severity: NoteSeverity;
  component?: StatusComponent;
  until?: string;
  json?: boolean;
};

const longestText = 2_000;

/** `steno status note`: shows a note on the status page, in its JSON and in its feed. */
export const addStatusNote = (status: Command, terminal: Terminal): void => {
  status
    .command('note')
    .description('show a note on the status page')
    .argument('<text>', 'what people read', parseText)
    .addOption(
      new Option('--severity <severity>', 'how bad it is')
        .choices(noteSeverities)
        .default('info' satisfies NoteSeverity),
    )
    .addOption(
      new Option('--component <part>', 'the part that it is about').choices(statusComponents),
    )
    .option(
      '--until <time>',
      'when it ends, such as 2027-01-31T18:00:00Z; else until it is ended, at most 90 days',
      parseTime,
    )
    .option('--json', 'print JSON')
    .action(async (text: string, { severity, component, until, json = false }: Options) => {
      await using application = await terminal.openApplication();
      const note = await application.operations.addStatusNote({
        ...{ text, severity, component: component ?? null, endsAt: until ?? null },
      });
      const { noteId } = note;
      const said =
        until === undefined
          ? `${noteId} is shown for 90 days; end it by: steno status end ${noteId}`
          : `${noteId} is shown until ${until}`;
      await print(terminal, json ? JSON.stringify(noteJson(note)) : said);
    });
};

/** `steno status notes`: notes newest first, those that are over too; NDJSON with `--json`. */
export const addStatusNotes = (status: Command, terminal: Terminal): void => {
  status
    .command('notes')
    .description('list the notes of the last ninety days')
    .option('--json', 'print NDJSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      await using application = await terminal.openApplication();
      const notes = await application.operations.statusNotes();
      if (!json && terminal.stdout.isTTY === true) {
        await print(terminal, lineOf(['ID', 'SEVERITY', 'PART', 'BEGAN', 'ENDS', 'TEXT']));
      }
      for (const note of notes) {
        const { noteId, severity, component, startedAt, endsAt, text } = note;
        const line = lineOf([noteId, severity, component ?? '-', startedAt, endsAt ?? '-', text]);
        await print(terminal, json ? JSON.stringify(noteJson(note)) : line);
      }
    });
};

/** `steno status end`: ends a note now; one that is over stays as it is. */
export const addStatusEnd = (status: Command, terminal: Terminal): void => {
  status
    .command('end')
    .description('end a note on the status page')
    .argument('<id>', 'the note')
    .option('--json', 'print JSON')
    .action(async (noteId: string, { json = false }: { json?: boolean }) => {
      await using application = await terminal.openApplication();
      const note = await application.operations.endStatusNote(noteId);
      await print(terminal, json ? JSON.stringify(noteJson(note)) : `${noteId} has ended`);
    });
};

const noteJson = ({ noteId, text, severity, component, startedAt, endsAt }: StatusNote) => ({
  ...{ id: noteId, text, severity, component, started_at: startedAt, ends_at: endsAt },
});

const widths = [36, 11, 11, 24, 24];

const lineOf = (cells: readonly string[]): string =>
  cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ');

/** One line of text for people: control characters would change what a terminal shows. */
const parseText = (given: string): string => {
  const text = given.trim();
  if (text !== '' && text.length <= longestText && /^[^\p{Cc}\p{Cs}]*$/u.test(text)) return text;
  throw new InvalidArgumentError(
    `It is one line of 1 to ${longestText} characters, without control characters.`,
  );
};

const parseTime = (text: string): string => {
  const parsed = z.iso.datetime({ offset: true }).safeParse(text);
  if (parsed.success) return new Date(parsed.data).toISOString();
  throw new InvalidArgumentError('It is a time like 2026-11-22T18:00:00Z.');
};

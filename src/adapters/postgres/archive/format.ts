import { createHash } from 'node:crypto';
import { z } from 'zod';
import { withBoundedLines } from '../../../kernel/bounded-lines.ts';
import { parseJson } from '../../../kernel/parse-json.ts';

/*
 * An archive is NDJSON. Each line is an object whose first member tells what the line is:
 * `manifest` (the first line), `event`, `table` with a `row`, `task`, and `end` (the last line) with the counts and the
 * SHA-256 of all bytes before it.
 */

/** The content of an archive: only the events, or everything that cannot be derived again. */
export type ArchiveContent = 'events' | 'backup';

const formatVersion = 1;
const digits = z.string().regex(/^\d{1,19}$/);

const Manifest = z.object({
  format: z.literal('steno-archive'),
  version: z.int(),
  content: z.enum(['events', 'backup']),
  /** The version of the program that wrote it. */
  program: z.string(),
  created_at: z.string(),
  /** The last position that the log had assigned, perhaps to an event that was rolled back. */
  drawn_position: digits,
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  /** The fingerprint of the SECRET_KEY of the rows; null: nothing in the archive needs the key. */
  secret_fingerprint: z.string().nullable(),
  /** That of the key that was being replaced, which a part of the rows is made with; absent: none was. */
  secret_previous_fingerprint: z.string().nullish(),
});
export type Manifest = z.infer<typeof Manifest>;

const Counts = z.object({
  events: z.int(),
  streams: z.int(),
  last_position: digits,
  /** Rows by table. */
  tables: z.record(z.string(), z.int()),
  tasks: z.int(),
});
export type ArchiveCounts = z.infer<typeof Counts>;

const End = Counts.extend({ sha256: z.string() });
export type ArchiveEnd = z.infer<typeof End>;

/** The archive is not one, is cut off, or was changed. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** What rows are of, unless it is a table: no table has a name with parentheses. */
export const ofLog = '(event)';
export const ofQueue = '(task)';

/** What their lines begin with. */
const heads: ReadonlyMap<string, string> = new Map([
  [ofLog, '{"event":'],
  [ofQueue, '{"task":'],
]);

/** Formats the lines of an archive and computes its digest. */
export const archiveText = () => {
  const hash = createHash('sha256');
  const textOf = (lines: readonly string[]): string => {
    const text = lines.map((line) => `${line}\n`).join('');
    hash.update(text);
    return text;
  };
  return {
    manifest: (manifest: Omit<Manifest, 'format' | 'version'>): string => {
      const first: Manifest = { format: 'steno-archive', version: formatVersion, ...manifest };
      return textOf([JSON.stringify({ manifest: first })]);
    },
    /** `rows` are JSON objects as text. */
    rows: (of: string, rows: readonly string[]): string => {
      const head = heads.get(of) ?? `{"table":${JSON.stringify(of)},"row":`;
      return textOf(rows.map((row) => `${head}${row}}`));
    },
    end: (counts: ArchiveCounts): string => `${JSON.stringify({ end: { ...counts, sha256: hash.digest('hex') } })}\n`,
  };
};

/** One line that was read. The text of a row is the JSON object as it was written. */
export type ArchiveLine =
  | { readonly kind: 'manifest'; readonly manifest: Manifest }
  | { readonly kind: 'row'; readonly of: string; readonly text: string }
  | { readonly kind: 'end'; readonly end: ArchiveEnd };

/**
 * No row of Steno is longer: the longest hold captions, of which 16 MB are read, and which as `bytea` are written with two
 * digits a byte.
 */
const maxLineBytes = 64 * 1024 * 1024;

/**
 * The lines of an archive. Ends after the line `end`, once the bytes before it were
 * what was written; throws `ArchiveError` for any other sequence of bytes.
 */
export async function* readArchive(
  bytes: AsyncIterable<Uint8Array>,
  longestLine = maxLineBytes,
): AsyncGenerator<ArchiveLine> {
  const hash = createHash('sha256');
  let number = 0;
  let isOver = false;
  for await (const line of linesOf(withBoundedLines(bytes, longestLine))) {
    number += 1;
    if (isOver) throw new ArchiveError('the archive goes on after its last line');
    const read = lineOf(line, number);
    if (read.kind === 'end') {
      requireDigest(read.end, hash.digest('hex'));
      isOver = true;
    } else {
      hash.update(line).update('\n');
    }
    yield read;
  }
  if (number === 0) throw new ArchiveError('the archive is empty');
  if (!isOver) throw new ArchiveError('the archive is truncated: its last line is missing');
}

const requireDigest = ({ sha256 }: ArchiveEnd, found: string): void => {
  if (sha256 === found) return;
  throw new ArchiveError(`the archive was changed: its SHA-256 is ${found}, and its last line says ${sha256}`);
};

const rowPattern = /^\{"table":"([a-z_][a-z0-9_]*)","row":(\{.*\})\}$/s;
const entryPattern = /^\{"(event|task)":(\{.*\})\}$/s;

const lineOf = (line: string, number: number): ArchiveLine => {
  if (number === 1) return { kind: 'manifest', manifest: manifestOf(line) };
  const [, kind, entry] = entryPattern.exec(line) ?? [];
  if (entry !== undefined) return { kind: 'row', of: kind === 'event' ? ofLog : ofQueue, text: entry };
  const [, table, row] = rowPattern.exec(line) ?? [];
  if (table !== undefined && row !== undefined) return { kind: 'row', of: table, text: row };
  const end = End.safeParse(memberOf(line, 'end'));
  if (end.success) return { kind: 'end', end: end.data };
  throw new ArchiveError(`line ${number} of the archive is none that an archive has`);
};

const manifestOf = (line: string): Manifest => {
  const { success, data } = Manifest.safeParse(memberOf(line, 'manifest'));
  if (!success) {
    throw new ArchiveError('this is not an archive of Steno: its first line is not a manifest');
  }
  if (data.version !== formatVersion) {
    throw new ArchiveError(
      `the archive has format ${data.version}, and this program reads format ${formatVersion}: use the version of Steno that wrote it (${data.program}), or a later one`,
    );
  }
  return data;
};

const memberOf = (line: string, name: string): unknown => {
  const parsed = parseJson(line);
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>)[name] : undefined;
};

/** Lines end with LF alone: JSON may hold the other ends of lines that Node's readline takes for one. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let pieces: string[] = [];
  for await (const chunk of bytes) {
    const [first = '', ...others] = decoded(decoder, chunk).split('\n');
    pieces.push(first);
    for (const other of others) {
      yield pieces.join('');
      pieces = [other];
    }
  }
  const rest = `${pieces.join('')}${decoded(decoder)}`;
  if (rest !== '') throw new ArchiveError('the archive is cut off within a line');
}

const decoded = (decoder: TextDecoder, chunk?: Uint8Array): string => {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    throw new ArchiveError('the archive is not text: it was changed, or is not an archive of Steno', { cause });
  }
};

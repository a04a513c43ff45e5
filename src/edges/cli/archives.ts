import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { cloudEventOf } from '../../contract/events.ts';
import { ledgerEntryAnswer } from '../../contract/ledger.ts';
import type { ArchiveSummary, LongWork } from './operator-interface.ts';
import { progressInParts } from './progress.ts';
import { print, printBytes, say, type Terminal } from './terminal.ts';
import { writing } from './write-file.ts';

type Json = { readonly json?: boolean };
type Tail = { readonly account?: string; readonly cursor?: string; readonly follow: boolean };
type Content = 'events' | 'backup';

const zstd = 'compressed where the name ends in .zst';

/** `steno backup`: all data of a service that cannot be derived again, in one file. */
export const addBackup = (program: Command, terminal: Terminal): void => {
  program
    .command('backup')
    .description('back up events, accounts, keys and pending work to a file')
    .argument('<file>', `a new file, ${zstd}; - is stdout`)
    .option('--json', 'print its contents as JSON')
    .action((file: string, options: Json) => written(terminal, file, { content: 'backup', until: null }, options));
};

/** `steno restore`: a backup into a database without data. */
export const addRestore = (program: Command, terminal: Terminal): void => {
  program
    .command('restore')
    .description('restore a backup into a new database and rebuild its read models')
    .argument('<file>', 'what `steno backup` wrote; - is stdin')
    .option('--lost-secret', 'accept SECRET_KEY although the backup was made with another')
    .option('--json', 'print what was restored as JSON')
    .action((file: string, { lostSecret = false, ...options }: Json & { lostSecret?: boolean }) =>
      restored(terminal, file, { content: 'backup', isSecretLost: lostSecret }, options),
    );
};

/** `steno events`: the ledgers as they grow; the log alone, for a move or an archive without people and secrets. */
export const addEvents = (events: Command, terminal: Terminal): void => {
  events
    .command('tail')
    .description('print the entries of all ledgers, existing and new, as CloudEvents, one JSON object per line')
    .option('--account <id>', 'only of one account')
    .addOption(new Option('--cursor <position>', 'start after the event with this cursor').argParser(positionOf))
    .option('--no-follow', 'stop at the end of the log')
    .action(async ({ account, cursor = '0', follow }: Tail) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      const wanted = { accountId: account ?? null, after: cursor, isFollowing: follow };
      for await (const entry of application.actions.tailLedgers(wanted, { signal: terminal.signal })) {
        await print(terminal, JSON.stringify(cloudEventOf(ledgerEntryAnswer(entry))));
      }
    });
  events
    .command('export')
    .description('write the events to a file')
    .addOption(new Option('--until <position>', 'the last position').argParser(positionOf))
    .option('-o, --output <file>', `a new file, ${zstd}; - is stdout`, '-')
    .option('--json', 'print its contents as JSON')
    .action(({ until, output, ...options }: Json & { until?: string; output: string }) =>
      written(terminal, output, { content: 'events', until: until ?? null }, options),
    );
  events
    .command('import')
    .description('import events into a new database and rebuild its read models')
    .argument('<file>', 'what `steno events export` wrote; - is stdin')
    .option('--json', 'print what was imported as JSON')
    .action((file: string, options: Json) =>
      restored(terminal, file, { content: 'events', isSecretLost: false }, options),
    );
};

const positionOf = (text: string): string => {
  if (/^\d{1,18}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a whole number of at most 18 digits.');
};

const written = async (
  terminal: Terminal,
  file: string,
  input: { readonly content: Content; readonly until: string | null },
  options: Json,
): Promise<void> => {
  using shown = progressInParts(terminal);
  const pieces = terminal.archives.write(input, shown);
  let last = '';
  const seen = (async function* () {
    for await (const piece of pieces) {
      last = piece;
      yield piece;
    }
  })();
  await writeArchiveFile(terminal, file, seen);
  const { end } = JSON.parse(last);
  // The summary goes to stdout only if the data do not.
  await printSummary(terminal, end, { json: options.json === true && file !== '-' });
  if (input.content === 'events') return;
  const secrets = 'password hashes, mail addresses and sessions';
  if (file !== '-') {
    say(
      terminal,
      `${file} contains ${secrets} and is not encrypted; only you can read it. SECRET_KEY is not in it: keep both, separately`,
    );
  } else if (terminal.stdout.isTTY === true) {
    say(terminal, `Warning: ${secrets} were printed on this terminal: clear its scrollback`);
  }
};

const restored = async (
  terminal: Terminal,
  file: string,
  input: { readonly content: Content; readonly isSecretLost: boolean },
  options: Json,
): Promise<void> => {
  using shown = progressInParts(terminal);
  const bytes = readArchiveFile(terminal, file, shown);
  const found = await terminal.archives.restore(bytes, input, shown);
  await printSummary(terminal, found, options);
  say(terminal, 'read models are rebuilt; next: steno verify');
};

const printSummary = async (
  terminal: Terminal,
  { events, streams, last_position, tables, tasks, sha256 }: ArchiveSummary,
  { json = false }: Json,
): Promise<void> => {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  if (json) {
    return await print(terminal, JSON.stringify({ events, streams, last_position, rows, tasks, sha256 }));
  }
  say(
    terminal,
    `${events} events in ${streams} streams up to position ${last_position}, ${rows} other rows, ${tasks} waiting tasks; SHA-256 ${sha256}`,
  );
};

/** The magic number of a zstd frame. */
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/**
 * Writes chunks of text to a new file of mode 600, or to stdout for `-`; a file named `….zst` is compressed.
 * The file gets its name after it is complete.
 */
const writeArchiveFile = async (terminal: Terminal, file: string, pieces: AsyncIterable<string>): Promise<void> => {
  if (file === '-') {
    for await (const piece of pieces) await printBytes(terminal, piece);
    return;
  }
  await writing(file, async () => {
    requireFree(file);
    const partial = `${file}.${randomBytes(4).toString('hex')}.partial`;
    const target = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
    try {
      const source = Readable.from(pieces, { objectMode: false });
      const compressed = file.endsWith('.zst') ? [zlib.createZstdCompress()] : [];
      await pipeline([source, ...compressed, target], { signal: terminal.signal });
      requireFree(file);
      await rename(partial, file);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  });
};

const requireFree = (file: string): void => {
  if (existsSync(file)) throw new Error(`${file} already exists; choose another file`);
};

/** The bytes of a file, or of stdin for `-`, decompressed if they are zstd. */
async function* readArchiveFile(
  { stdin }: Pick<Terminal, 'stdin'>,
  file: string,
  { onProgress }: Pick<LongWork, 'onProgress'>,
): AsyncGenerator<Uint8Array> {
  const total = file === '-' ? null : kibOf((await stat(file)).size);
  const counted = async function* () {
    let read = 0;
    // Opened lazily: an error before the first read would have no listener.
    for await (const chunk of file === '-' ? stdin : createReadStream(file)) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
      yield bytes;
      read += bytes.length;
      onProgress?.({ what: 'KiB', done: kibOf(read), total });
    }
  };
  yield* decompressed(counted());
}

const kibOf = (bytes: number): number => Math.ceil(bytes / 1024);

async function* decompressed(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0);
  // A pipe may deliver fewer bytes than the magic number has.
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    head = Buffer.concat([head, next.value]);
    if (head.length >= zstdMagic.length) break;
  }
  const whole = (async function* () {
    yield head;
    yield* chunks;
  })();
  if (!zstdMagic.equals(head.subarray(0, zstdMagic.length))) return yield* whole;
  const plain = zlib.createZstdDecompress();
  // An error of the source or of the compression ends `plain` with it.
  pipeline(Readable.from(whole), plain).catch(() => {});
  try {
    yield* plain;
  } catch (cause) {
    throw new Error('the archive cannot be decompressed: it is truncated or damaged', { cause });
  }
}

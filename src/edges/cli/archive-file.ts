import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import type { LongWork } from './operator-interface.ts';
import { printBytes, type Terminal } from './terminal.ts';
import { writing } from './write-file.ts';

/** The magic number of a zstd frame. */
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/**
 * Writes chunks of text to a new file of mode 600, or to stdout for `-`; a file named `….zst` is compressed.
 * The file gets its name after it is complete.
 */
export const writeArchiveFile = async (
  terminal: Terminal,
  file: string,
  pieces: AsyncIterable<string>,
): Promise<void> => {
  if (file === '-') {
    for await (const piece of pieces) await printBytes(terminal, piece);
    return;
  }
  await writing(file, () => writeNewFile(terminal, file, pieces));
};

const writeNewFile = async (
  { signal }: Pick<Terminal, 'signal'>,
  file: string,
  pieces: AsyncIterable<string>,
): Promise<void> => {
  requireFree(file);
  const partial = `${file}.${randomBytes(4).toString('hex')}.partial`;
  const target = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
  try {
    const source = Readable.from(pieces, { objectMode: false });
    if (file.endsWith('.zst')) {
      await pipeline(source, zlib.createZstdCompress(), target, { signal });
    } else {
      await pipeline(source, target, { signal });
    }
    requireFree(file);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
};

const requireFree = (file: string): void => {
  if (existsSync(file)) throw new Error(`${file} is there already; name another file`);
};

/** The bytes of a file, or of stdin for `-`, decompressed if they are zstd. */
export async function* readArchiveFile(
  { stdin }: Pick<Terminal, 'stdin'>,
  file: string,
  { onProgress }: Pick<LongWork, 'onProgress'>,
): AsyncGenerator<Uint8Array> {
  const total = file === '-' ? null : kibOf((await stat(file)).size);
  // Opened lazily: an error before the first read would have no listener.
  const chunks = bytesOf(file === '-' ? stdin : createReadStream(file), (read) =>
    onProgress?.({ what: 'KiB', done: kibOf(read), total }),
  );
  yield* decompressed(chunks);
}

const kibOf = (bytes: number): number => Math.ceil(bytes / 1024);

async function* decompressed(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Uint8Array> {
  const { value: first, done } = await chunks.next();
  if (done === true) return;
  const whole = (async function* () {
    yield first;
    yield* chunks;
  })();
  if (!zstdMagic.equals(first.subarray(0, zstdMagic.length))) return yield* whole;
  const plain = zlib.createZstdDecompress();
  // An error of the source or of the compression ends `plain` with it.
  pipeline(Readable.from(whole), plain).catch(() => {});
  try {
    yield* plain;
  } catch (cause) {
    throw new Error('the archive cannot be decompressed: it is cut off or damaged', { cause });
  }
}

async function* bytesOf(
  source: AsyncIterable<unknown>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const chunk of source) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk as Uint8Array);
    yield bytes;
    read += bytes.length;
    onRead(read);
  }
}

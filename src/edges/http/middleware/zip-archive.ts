import { Zip, ZipPassThrough } from 'fflate';

/** One file of an archive. */
export type ArchiveFile = { readonly name: string; readonly text: string };

/** A ZIP that is written while its files are made, stored without compression: the answer itself is compressed where that helps. */
export async function* zipOf(files: AsyncIterable<ArchiveFile>): AsyncIterable<Uint8Array> {
  let ready: Uint8Array[] = [];
  const archive = new Zip((error, chunk) => {
    if (error !== null) throw error;
    ready.push(chunk);
  });
  for await (const { name, text } of files) {
    const entry = new ZipPassThrough(name);
    archive.add(entry);
    entry.push(Buffer.from(text), true);
    yield* ready;
    ready = [];
  }
  archive.end();
  yield* ready;
}

import type { z } from 'zod';
import { type Transcript, toJson } from '../../../commands.ts';
import type { Chunks, chunkFormat } from '../../../contract/chunks.ts';
import type { transcriptSchema } from '../../../contract/transcripts.ts';
import { memoizeByObject } from '../../../kernel/memoize.ts';

/** A transcript as JSON of the API. */
export const transcriptJson = (transcript: Transcript): z.input<typeof transcriptSchema> => toJson(transcript);

/** A transcript for a response; `text` is the body of its format, null for json. */
type Readable = { readonly transcript: Transcript; readonly text: string | null };

/** The encoded body of a response, cached per transcript object: a cached transcript is serialized once. */
const ready = new WeakMap<Transcript, { readonly text: string | null; readonly body: Buffer }>();

/** The body of a response with this transcript, in UTF-8. Callers must not change it: it is shared. */
export const bodyOf = ({ transcript, text }: Readable): Buffer => {
  const known = ready.get(transcript);
  if (known?.text === text) return known.body;
  const body = Buffer.from(text ?? JSON.stringify(transcriptJson(transcript)));
  ready.set(transcript, { text, body });
  return body;
};

type ChunkFormat = z.output<typeof chunkFormat>;

/** The `Content-Type` of chunks. */
export const chunksType: Readonly<Record<ChunkFormat, string>> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** Encoded chunks, kept by their object as bodies of transcripts are. */
const encoded = {
  json: memoizeByObject((chunks: Chunks) => Buffer.from(JSON.stringify(chunks))),
  ndjson: memoizeByObject(({ chunks }: Chunks) =>
    Buffer.from(chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('')),
  ),
};

/** The body of chunks; in NDJSON each of them is a line. */
export const chunksBody = (chunks: Chunks, format: ChunkFormat): Buffer => encoded[format](chunks);

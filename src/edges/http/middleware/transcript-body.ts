import type { z } from 'zod';
import { type Transcript, toJson } from '../../../commands.ts';
import type { transcriptSchema } from '../../../contract/transcripts.ts';

/** A transcript as JSON of the API. */
export const transcriptJson = (transcript: Transcript): z.input<typeof transcriptSchema> => toJson(transcript);

/** A transcript for a response; `text` is the body of its format, null for json. */
type Readable = { readonly transcript: Transcript; readonly text: string | null };

/** The encoded body of a response, cached per transcript object: a cached transcript is serialized once. */
const ready = new WeakMap<Transcript, { readonly text: string | null; readonly body: Buffer }>();

export const bodyOf = ({ transcript, text }: Readable): Buffer => {
  const known = ready.get(transcript);
  if (known?.text === text) return known.body;
  const body = Buffer.from(text ?? JSON.stringify(transcriptJson(transcript)));
  ready.set(transcript, { text, body });
  return body;
};

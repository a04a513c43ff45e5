import type { Source } from '../source.ts';
import { extractAnswer } from './ask.ts';
import { extractChapters } from './chapters.ts';
import { extractClips } from './clips.ts';
import { extractQuotes } from './quotes.ts';
import { composeRepurpose } from './repurpose.ts';
import { searchTranscript } from './search.ts';
import { extractSummary } from './summarize.ts';
import { windowsOf } from './windows.ts';

/** Every extractive operation, by name. */
export const extractive = {
  search: searchTranscript,
  ask: extractAnswer,
  summarize: extractSummary,
  chapters: extractChapters,
  quotes: extractQuotes,
  clips: extractClips,
  repurpose: composeRepurpose,
  windows: windowsOf,
};

export type Extractive = typeof extractive;
export type ExtractiveName = keyof Extractive;

/** What an operation takes besides the source. */
export type OptionsOf<Name extends ExtractiveName> =
  Parameters<Extractive[Name]> extends [Source, ...infer Options] ? Options : never;

/** What the thread is asked. `json` is the source where the thread does not know it: faster to send than objects. */
export type Task = {
  readonly id: number;
  readonly name: ExtractiveName;
  /** Of the source. */
  readonly hash: string;
  readonly json: string | null;
  readonly options: unknown;
};

/** What the thread says: the end of a task, or that a source must be sent again. */
export type ThreadMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly forgot: string };

/** The caller's types fit name and options together; between threads they are one message. */
const untyped: Readonly<Record<ExtractiveName, (source: Source, options: never) => unknown>> = extractive;

export const runExtractive = (name: ExtractiveName, source: Source, options: unknown): unknown =>
  untyped[name](source, options as never);

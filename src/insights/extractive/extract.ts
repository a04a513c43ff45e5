import type { Source } from '../source.ts';

/** What can be made of captions without a model. The thread finds it by its file in this folder, which exports it as `extract`. */
export type Extract<Options extends readonly unknown[], Result> = {
  /** Name of the file, without its ending. */
  readonly file: string;
  readonly run: (source: Source, ...options: Options) => Result;
};

/** What the thread is asked. `json` is the source where the thread does not know it: faster to send than objects. */
export type Task = Pick<Extract<never, never>, 'file'> & {
  readonly id: number;
  /** Of the source. */
  readonly hash: string;
  readonly json: string | null;
  readonly options: readonly unknown[];
};

/** What the thread says: the end of a task, or that a source must be sent again. */
export type ThreadMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly forgot: string };

import type { Source } from '../source.ts';

/** What can be made of captions without a model. The thread finds it by its file in this folder, which exports it as `extract`. */
export type Extract<Options extends readonly unknown[], Result> = {
  /** Name of the file, without its ending. */
  readonly file: string;
  readonly run: (source: Source, ...options: Options) => Result;
};

/** What the thread is asked. `json` is the source: faster to send than objects. */
export type Task = Pick<Extract<never, never>, 'file'> & {
  readonly id: number;
  readonly json: string;
  readonly options: readonly unknown[];
};

/** The end of a task. */
export type ThreadMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

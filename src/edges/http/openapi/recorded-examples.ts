import { readFileSync } from 'node:fs';
import { once } from '../../../kernel/memoize.ts';

/** A request without its credentials. */
export type ExampleRequest = {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/**
 * Requests and their answers, as a test sent and got them, with long lists and texts cut short.
 * `KEEP_EXAMPLES=1 npm test -- test/journeys/recorded-examples.test.ts` records them anew.
 */
export type RecordedExamples = {
  /** By operation; the answers by status, and then by media type. */
  readonly operations: Readonly<
    Record<
      string,
      {
        readonly request: ExampleRequest;
        readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      }
    >
  >;
  /** Bodies of errors, by code. */
  readonly errors: Readonly<Record<string, unknown>>;
  /** Deliveries, by the type of their event. */
  readonly webhooks: Readonly<
    Record<string, { readonly headers: Readonly<Record<string, string>>; readonly body: unknown }>
  >;
};

export const recordedExamplesFile = new URL('recorded-examples.json', import.meta.url);

/** All of them, read once. */
export const recordedExamples = once((): RecordedExamples => JSON.parse(readFileSync(recordedExamplesFile, 'utf8')));

/** The recorded example of an operation. Those of a signed-in owner have the example of the same operation of a key. */
export const exampleOf = (id: string) => {
  const { operations } = recordedExamples();
  return operations[id] ?? operations[id.replace(/^account([A-Z])/, (_, first: string) => first.toLowerCase())];
};

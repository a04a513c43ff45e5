import { setTimeout as pause } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import createClient from 'openapi-fetch';
import type { components, paths } from './steno.d.ts';

type Schemas = components['schemas'];

/** What happened in a job. */
export type JobEvent =
  | { readonly event: 'job'; readonly data: Schemas['JobStatusEvent'] }
  | { readonly event: 'item'; readonly data: Schemas['JobItemEvent'] };

/** An error that the service answered. `code` is for programs; docs/errors.md lists the codes. */
export class StenoError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Schemas['Error']['error']['details'];

  constructor(status: number, { error }: Schemas['Error']) {
    super(`${error.code}: ${error.message} (${error.request_id})`);
    this.status = status;
    this.code = error.code;
    this.details = error.details;
  }
}

type Answered<Data> = {
  readonly data?: Data;
  readonly error?: Schemas['Error'];
  response: Response;
};

/** The body of an answer; throws a StenoError for an error. */
export const bodyOf = async <Data>(answer: Promise<Answered<Data>>): Promise<Data> => {
  const { data, error, response } = await answer;
  if (error !== undefined) throw new StenoError(response.status, error);
  return data as Data;
};

/** A client with a typed method for each path and method of the description. */
export const stenoClient = (baseUrl: string, key: string) =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

/** The events of a job until it is over. A lost connection is opened again where it ended. */
export async function* jobEvents(client: ReturnType<typeof stenoClient>, jobId: string): AsyncGenerator<JobEvent> {
  let last = '';
  for (;;) {
    const { data, error, response } = await client.GET('/v1/jobs/{jobId}/events', {
      params: { path: { jobId }, header: { 'Last-Event-ID': last } },
      parseAs: 'stream',
    });
    if (response.status === 204) return;
    if (error !== undefined) {
      if (response.status !== 429 && response.status !== 503) {
        throw new StenoError(response.status, error);
      }
      await pause(1_000 * Number(response.headers.get('Retry-After') ?? 1));
      continue;
    }
    if (!data) return;
    const events = data.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { id, event, data: text } of events) {
      last = id ?? last;
      yield { event, data: JSON.parse(text) } as JobEvent;
    }
  }
}

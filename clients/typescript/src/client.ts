import createClient, { type Client } from 'openapi-fetch';
import { ConnectionError, type ErrorFacts, StenoError } from './errors.js';
import { errorClasses } from './generated/errors.js';
import { Operations } from './generated/operations.js';
import { idempotent, type paths } from './generated/paths.js';
import type { Job, JobItemEvent, JobResult, JobStatusEvent } from './generated/schemas.js';
import { version } from './generated/version.js';
import type { OperationRequest, Paging, RequestOptions } from './request.js';
import { backoffMs, defaultRetries, fetchWithRetries, pause, type Retries, retryAfterMs } from './retries.js';
import { serverSentEvents } from './server-sent-events.js';

export type StenoOptions = Partial<Retries> & {
  readonly apiKey: string;
  /** Where the service is, such as `https://steno.example.org`. */
  readonly baseUrl: string;
  /** Instead of the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
};

/** What happened in a job. `id` is where `watchJob` goes on. */
export type JobEvent =
  | { readonly id: string; readonly event: 'job'; readonly data: JobStatusEvent }
  | { readonly id: string; readonly event: 'item'; readonly data: JobItemEvent };

/** A result of a job, and where `followJob` goes on: behind the page before it. */
export type FollowedResult = { readonly result: JobResult; readonly cursor: string | undefined };

const firstPollMs = 250;
const longestPollMs = 5_000;
const silentPauseMs = 1_000;
const resultsOfPage = 100;
const running: readonly string[] = ['queued', 'processing'];

/** The error of an answer, by its code; a body of another shape, such as that of a proxy, is told by its status. */
const errorFrom = ({ status, headers }: Response, body: unknown): StenoError => {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: Record<string, unknown> };
  const askedMs = retryAfterMs(headers.get('Retry-After'));
  const facts: ErrorFacts = {
    status,
    code: typeof error?.['code'] === 'string' ? error['code'] : `HTTP_${status}`,
    message: typeof error?.['message'] === 'string' ? error['message'] : 'The answer is not one of the service.',
    requestId: headers.get('X-Request-ID'),
    details: (error?.['details'] ?? null) as ErrorFacts['details'],
    retryAfter: askedMs === null ? null : askedMs / 1_000,
  };
  const Kind = Object.hasOwn(errorClasses, facts.code) ? errorClasses[facts.code] : undefined;
  return new (Kind ?? StenoError)(facts);
};

const present = (values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Headers as they are sent: a flag is 1, or absent. */
const headersOf = (given: OperationRequest['headers'] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === undefined || value === false ? [] : [[name, value === true ? '1' : value]],
    ),
  );

/** The body by its type: JSON, text, or bytes. */
const bodyOf = async (response: Response): Promise<unknown> => {
  const type = response.headers.get('Content-Type') ?? '';
  if (/^application\/(json|[\w.-]+\+json)\b/.test(type)) return response.json();
  return /^text\/|subrip|ndjson|jose|xml/.test(type) ? response.text() : response.blob();
};

/**
 * A client of the Steno API: a method for each operation. Requests are repeated where that helps and costs nothing twice;
 * errors that the service answers are thrown, each code as a class of its own.
 */
export class Steno extends Operations {
  /** The paths of the API by openapi-fetch, with the same key and repeats. It returns errors instead of throwing them. */
  readonly api: Client<paths>;
  readonly #retries: Retries;

  constructor({ apiKey, baseUrl, fetch = (request) => globalThis.fetch(request), ...given }: StenoOptions) {
    super();
    if (apiKey === '') throw new TypeError('apiKey is empty');
    this.#retries = { ...defaultRetries, ...present(given) };
    this.api = createClient<paths>({
      baseUrl,
      headers: { Authorization: `Bearer ${apiKey}`, 'User-Agent': `steno-client-typescript/${version}` },
      fetch: fetchWithRetries(fetch, this.#retries),
    });
    this.api.use({
      // A repeat after a lost answer is charged once.
      onRequest: ({ request, schemaPath }) => {
        const takesKey = idempotent.has(`${request.method} ${schemaPath}`);
        if (takesKey && !request.headers.has('Idempotency-Key')) {
          request.headers.set('Idempotency-Key', crypto.randomUUID());
        }
        return undefined;
      },
    });
  }

  async #send(request: OperationRequest, options: RequestOptions): Promise<Response> {
    const send = this.api.request as unknown as (
      method: string,
      path: string,
      init: object,
    ) => Promise<{ error?: unknown; response: Response }>;
    const params = {
      path: request.pathParameters,
      query: present(request.query ?? {}),
      header: headersOf(request.headers),
    };
    const init = present({ params, body: request.body, signal: options.signal, parseAs: 'stream' });
    const { error, response } = await send(request.method, request.path, init);
    options.onResponse?.(response);
    if (!response.ok) throw errorFrom(response, error);
    return response;
  }

  protected override async call<Answer>(request: OperationRequest, options: RequestOptions): Promise<Answer> {
    const response = await this.#send(request, options);
    return (response.status === 204 ? undefined : await bodyOf(response)) as Answer;
  }

  protected override async *pages<Item>(
    request: OperationRequest,
    { parameter, next, items }: Paging,
    options: RequestOptions,
  ): AsyncGenerator<Item, void, undefined> {
    let query: object = request.query ?? {};
    for (;;) {
      // Each page is a request of its own: a key that was given would be that of the first.
      const page = await this.call<Record<string, unknown>>({ ...request, query }, options);
      const found = (page[items] ?? []) as Item[];
      yield* found;
      const after = page[next];
      if (found.length === 0 || typeof after !== 'string') return;
      query = { ...query, [parameter]: after };
    }
  }

  /**
   * The events of a job from its beginning, or after `lastEventId`, until it is over. A connection that is lost is opened
   * again behind the last event; `ConnectionError` after `maxRetries` in a row.
   */
  async *watchJob(
    jobId: string,
    { lastEventId = '', ...options }: RequestOptions & { readonly lastEventId?: string | undefined } = {},
  ): AsyncGenerator<JobEvent, void, undefined> {
    let last = lastEventId;
    let failures = 0;
    for (;;) {
      const response = await this.#send(
        {
          method: 'get',
          path: '/v1/jobs/{jobId}/events',
          pathParameters: { jobId },
          headers: { 'Last-Event-ID': last === '' ? undefined : last },
        },
        options,
      );
      if (response.status === 204 || response.body === null) return;
      let isSilent = true;
      try {
        for await (const { id, event, data } of serverSentEvents(response.body)) {
          last = id;
          failures = 0;
          isSilent = false;
          // Kinds may be added: those that are not known here are left out.
          if (event === 'job' || event === 'item') yield { id, event, data: JSON.parse(data) };
        }
      } catch (error) {
        if (options.signal?.aborted) throw options.signal.reason;
        if (failures >= this.#retries.maxRetries) throw new ConnectionError(`the events of ${jobId}`, error);
        await pause(backoffMs(failures, null, this.#retries.random), options.signal);
        failures += 1;
        continue;
      }
      // A server or a proxy that ends streams at once is not asked at once again.
      if (isSilent) await pause(silentPauseMs, options.signal);
    }
  }

  /** The job as it is when it is over. */
  async waitForJob(jobId: string, options: RequestOptions = {}): Promise<Job> {
    for await (const _ of this.watchJob(jobId, options)) {
      // Only the end counts.
    }
    return this.getJob(jobId, options);
  }

  /**
   * The results of a job as they come, until it is over. With the `cursor` of a result, it goes on where that was read:
   * behind the page before it, so that up to a hundred results come again and none is missed.
   */
  async *followJob(
    jobId: string,
    { cursor, ...options }: RequestOptions & { readonly cursor?: string | undefined } = {},
  ): AsyncGenerator<FollowedResult, void, undefined> {
    let at = cursor;
    let pauseMs = firstPollMs;
    for (;;) {
      const page = await this.getJobResults(jobId, { limit: resultsOfPage, cursor: at }, options);
      for (const result of page.results) yield { result, cursor: at };
      const isOver = !running.includes(page.status);
      const goesOn = page.results.length >= resultsOfPage && page.next_cursor !== null;
      if (isOver && !goesOn) return;
      at = page.next_cursor ?? at;
      if (goesOn) continue;
      pauseMs = page.results.length > 0 ? firstPollMs : Math.min(longestPollMs, pauseMs * 2);
      await pause(pauseMs, options.signal);
    }
  }
}

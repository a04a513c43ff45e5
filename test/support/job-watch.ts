import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '#test/support/app.ts';

export type ShownJob = {
  readonly id: string;
  readonly kind: string;
  readonly source: string | null;
  readonly status: string;
  readonly total_items: number;
  readonly completed_items: number;
  readonly failed_items: number;
  readonly credits_charged: number;
  readonly credits_reserved: number;
  readonly run: number;
  readonly items: readonly {
    readonly status: string;
    readonly video_id: string | null;
    readonly error_code: string | null;
    readonly attempts: number;
  }[];
};

/** Sends a request up to `times` times while the response is 503, after its `Retry-After`, as a client does. */
export const againWhileBusy = async (send: () => Promise<Response>, times = 10): Promise<Response> => {
  for (let tries = 1; ; tries += 1) {
    const answer = await send();
    if (answer.status !== 503 || tries === times) return answer;
    await answer.body?.cancel();
    await pause(1_000 * Number(answer.headers.get('retry-after')));
  }
};

export type JobMessage = { readonly id: string; readonly event: string; readonly data: Record<string, unknown> };

/** Yields the server-sent events of a job after a position, until the server ends the stream. */
export async function* messagesOf(client: Client, key: string, jobId: string, after = ''): AsyncIterable<JobMessage> {
  const headers: Record<string, string> = after === '' ? {} : { 'Last-Event-ID': after };
  // For as long as an outage of the database lasts in these tests.
  const answer = await againWhileBusy(() => client.get(`/v1/jobs/${jobId}/events`, { key, headers }), 60);
  if (answer.status === 204 || answer.body === null) return;
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  let text = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      text = text.slice(end + 2);
      const data = fields.get('data');
      if (data === undefined) continue;
      yield { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data: JSON.parse(data) };
    }
  }
}

/** Reads a job, which on a busy machine may not be shown in the first second after its creation. */
export const jobOf = async (client: Client, key: string, jobId: string): Promise<ShownJob> => {
  const answer = await againWhileBusy(() => client.get(`/v1/jobs/${jobId}`, { key }));
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`);
  return JSON.parse(text) as ShownJob;
};

/** Watches a job until it has ended and returns it. */
export const over = async (client: Client, key: string, jobId: string): Promise<ShownJob> => {
  let after = '';
  for (let streams = 0; streams < 20; streams += 1) {
    for await (const { id } of messagesOf(client, key, jobId, after)) after = id;
    const job = await jobOf(client, key, jobId);
    if (job.status !== 'queued' && job.status !== 'processing') return job;
  }
  throw new Error(`${jobId} does not end`);
};

// Reads a transcript, runs a job and follows its events. KEY is an API key, STENO_URL where the service is.
import { bodyOf, jobEvents, StenoError, stenoClient } from './client.ts';

const { STENO_URL = 'http://127.0.0.1:3000', KEY = '' } = process.env;
const steno = stenoClient(STENO_URL, KEY);
const say = (...words: readonly unknown[]): boolean => process.stdout.write(`${words.join(' ')}\n`);

const path = { videoId: 'lighthouse1' };
const transcript = await bodyOf(steno.GET('/v1/transcripts/{videoId}', { params: { path, query: { lang: 'en' } } }));
// A text where another `format` is asked for.
if (typeof transcript === 'string') throw new Error('no JSON');
say(`${transcript.title}: ${transcript.segments.length} lines`);

const subtitles = await bodyOf(
  steno.GET('/v1/transcripts/{videoId}', {
    params: { path, query: { format: 'srt' } },
    parseAs: 'text',
  }),
);
say(subtitles.split('\n')[1]);

try {
  const params = { path: { videoId: 'private-001' } };
  await bodyOf(steno.GET('/v1/transcripts/{videoId}', { params }));
} catch (error) {
  if (!(error instanceof StenoError)) throw error;
  say(error.status, error.code, error.details?.['reason']);
}

const job = await bodyOf(
  steno.POST('/v1/jobs', {
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { ids: ['lighthouse1', 'languages-6'] },
  }),
);
if ('dry_run' in job) throw new Error('no job');
const { job_id: jobId } = job;
for await (const { event, data } of jobEvents(steno, jobId)) {
  if (event === 'job') say(event, data.status);
}

const { results } = await bodyOf(steno.GET('/v1/jobs/{jobId}/results', { params: { path: { jobId } } }));
for (const result of results.toSorted((one, other) => (one.reference < other.reference ? -1 : 1))) {
  say(result.reference, result.status, result.credits_charged);
}

const { requests } = await bodyOf(steno.GET('/v1/usage', { params: { query: { days: 1 } } }));
say('used', requests, 'requests');

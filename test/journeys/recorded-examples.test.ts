import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemCall } from '#src/app/open-core.ts';
import { logSome } from '#src/app/open-transparency-log.ts';
import { statusOf } from '#src/contract/errors.ts';
import { transcriptFormats } from '#src/contract/formats.ts';
import { operations } from '#src/contract/operations.ts';
import {
  type RecordedExamples,
  recordedExamples,
  recordedExamplesFile,
} from '#src/edges/http/openapi/recorded-examples.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { channels, lists } from '#test/simulator/collections.ts';
import type { FaultKind } from '#test/simulator/faults.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { samples } from '#test/simulator/samples.ts';
import { solve } from '#test/support/accounts.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { exampleRecorder } from '#test/support/example-recorder.ts';
import { bearer, healthyExtraction, healthyProbe, startEdge } from '#test/support/http.ts';
import { jobOf, over } from '#test/support/job-watch.ts';
import { browser } from '#test/support/journey.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { captionsOf } from '#test/support/library.ts';
import { startMailServer } from '#test/support/mail-server.ts';
import { until } from '#test/support/queue.ts';
import { startReceiver } from '#test/support/receiver.ts';

type Recording = Omit<ReturnType<typeof exampleRecorder>, 'recorded'>;
type Journey = Recording & { readonly app: TestApp; readonly key: string; readonly receiverUrl: string };

const password = plantedPassword('example');
const newPassword = plantedPassword('example-2');
const email = 'ada@example.org';
const video = samples.prose;
/** Of requests without a key. */
const limitPerMinute = 20;
/** The member of a job that names its operations. */
const then = 'then';

/** Returns the question of the captcha. */
const register = async ({ show, refuse }: Recording): Promise<string> => {
  await refuse('CAPTCHA_FAILED', 'register', { body: { email, password } });
  const { token, question } = await show<Captcha>('getCaptcha', { status: 200 });
  const solved = { captcha_token: token, captcha_answer: solve(question) };
  await show('register', { body: { email, password, name: 'Ada', ...solved }, status: 201 });
  await show('login', { body: { email, password }, status: 200 });
  await show('getMe', { status: 200 });
  return question;
};

type Mails = Awaited<ReturnType<typeof startMailServer>>;

/** By the link of a mail; the credits of the plan follow. */
const proveMailbox = async (
  { show }: Recording,
  { page, mails }: { readonly page: ReturnType<typeof browser>; readonly mails: Mails },
): Promise<void> => {
  await show('requestMailboxProof', { status: 202 });
  const tokens = () => mails.received.flatMap(({ text }) => /\/mailbox\?token=([\w-]{43})/.exec(text)?.[1] ?? []);
  await until(() => tokens().length > 0);
  await show('proveMailbox', { body: { token: planted(tokens()[0] ?? '') }, status: 204 });
  await until(async () => {
    const me = page.json<{ mailbox_proof_pending: boolean }>;
    return !(await me(200, page.send('GET', '/api/account/me'))).mailbox_proof_pending;
  });
  await show('getAccount', { status: 200 });
};

const keys = async ({ show }: Pick<Recording, 'show'>): Promise<string> => {
  await show('getAccountSettings', { status: 200 });
  await show('changeAccountSettings', { body: { keep_by_default: false }, status: 200 });
  const body = { name: 'Build server', cap_credits: 5_000, warn_at: [80] };
  const { key } = await show<CreatedKey>('createKey', { body, status: 201 });
  const old = await show<CreatedKey>('createKey', { body: { name: 'Old laptop' }, status: 201 });
  const { id } = old.key;
  const changed = { cap_credits: 200, cap_period: 'day', warn_at: [50, 80, 95] };
  await show('changeKey', { path: { id: key.id }, body: changed, status: 200 });
  await show('rollKey', { path: { id }, body: { overlap_hours: 24 }, status: 201 });
  await show('revokeKey', { path: { id }, status: 204 });
  return key.fullKey;
};

const transcripts = async ({ show }: Journey): Promise<void> => {
  const path = { videoId: video };
  await show('getTranscript', { path, query: { lang: 'en' }, status: 200 });
  await show('getTranscript', { path, query: { format: 'txt', timestamps: 'true' }, status: 200 });
  for (const format of transcriptFormats.filter((name) => !['txt', 'json'].includes(name))) {
    await show('getTranscript', { path, query: { format }, status: 200 });
  }
  await show('getKeySet', { status: 200 });
  await show('getRawTranscript', { path, status: 200 });
  await show('listLanguages', { path: { videoId: samples.manyLanguages }, status: 200 });
  await show('getChunks', { path, query: { max_tokens: '100' }, status: 200 });
  await show('getChunks', { path, query: { max_tokens: '100', format: 'ndjson' }, status: 200 });
  await show('getVideo', { path: { videoId: 'chapters-01' }, status: 200 });
  const ids = [video, samples.private];
  await show('getTranscripts', { body: { ids, lang: 'en', format: 'srt' }, status: 200 });
};

const library = async ({ show, app, key }: Journey): Promise<void> => {
  await app.get(`/v1/transcripts/${video}?keep=true`, { key });
  await show('listLibrary', { status: 200 });
  await show('searchLibrary', { query: { q: 'weight of the lens', limit: '2' }, status: 200 });
  await show('askLibrary', { body: { question: 'How much does the whole lens weigh?' }, status: 200 });
  await show('listLibraryVersions', { path: { videoId: video }, status: 200 });
  await show('getLibraryVersion', { path: { videoId: video, version: '1' }, status: 200 });
  const call = systemCall((await app.core.queries.findKeyHolder(key))?.accountId ?? '');
  await app.core.commands.keepCaptions(call, captionsOf(video, ['These captions are others.']));
  await show('compareLibraryVersions', { path: { videoId: video }, query: { from: '1', to: '2' }, status: 200 });
  await show('removeFromLibrary', { path: { videoId: video }, status: 204 });
  await show('clearLibrary', { status: 204 });
};

const insights = async ({ show }: Journey): Promise<void> => {
  await show('getAiStatus', { status: 200 });
  const inputs: Readonly<Record<string, object>> = {
    ask: { question: 'How much does the whole lens weigh?' },
    summarize: { length: 'short' },
    chapters: {},
    search: { query: 'lamp', limit: 2 },
    quotes: {},
    repurpose: { format: 'x_thread' },
    clips: {},
    translate: { target_lang: 'de' },
  };
  for (const name of new Set([...Object.keys(inputs), ...operations.map((operation) => operation.name)])) {
    await show(name, { body: { video_id: video, ...inputs[name] }, status: 200 });
  }
};

const listings = async ({ show, app, key }: Journey): Promise<void> => {
  const playlist = { playlistId: lists.small };
  const channel = { channelId: '@harbournotes' };
  const limit = { limit: '2' };
  await show('getPlaylist', { path: playlist, query: limit, status: 200 });
  await show('getChannel', { path: channel, query: limit, status: 200 });
  for (const [id, path] of [
    ['createPlaylistJob', playlist],
    ['createChannelJob', channel],
  ] as const) {
    const { job_id } = await show<{ job_id: string }>(id, { path, body: { limit: 2 }, status: 202 });
    await over(app, key, job_id);
    await show(id, { path, body: { limit: 2, dry_run: true }, status: 200 });
  }
};

/** Four jobs: of two videos, watched to its end, failed, and cancelled. The second has a `webhook_url`. */
const jobs = async ({ show, app, key, receiverUrl }: Journey): Promise<string> => {
  const start = async (body: object): Promise<{ jobId: string }> => {
    const { job_id } = await show<{ job_id: string }>('createJob', { body, status: 202 });
    return { jobId: job_id };
  };
  const wanted = { ids: [video, `https://youtu.be/${samples.manyLanguages}`], lang: 'en' };
  const first = await start(wanted);
  await show('createJob', { body: { ...wanted, dry_run: true }, status: 200 });
  await over(app, key, first.jobId);
  await show('getJob', { path: first, status: 200 });

  const operations = { [then]: [{ operation: 'chapters' }], webhook_url: receiverUrl };
  const watched = await start({ ids: [video], ...operations });
  await over(app, key, watched.jobId);
  const stream = await show<string>('watchJob', { path: watched, status: 200 });
  const last = /.*^id: (\d+)$/ms.exec(stream)?.[1] ?? '';
  await show('watchJob', { path: watched, headers: { 'Last-Event-ID': last }, status: 204 });
  await show('getJobResults', { path: watched, query: { limit: '1' }, status: 200 });
  await show('listJobs', { query: { limit: '1' }, status: 200 });

  const failed = await start({ ids: [samples.private], webhook_url: receiverUrl });
  await over(app, key, failed.jobId);
  // The retried item has not ended when the retry is answered: the platform is asked again, and answers late.
  await app.core.pool.query('DELETE FROM platform_refusal WHERE video_id = $1', [samples.private]);
  app.simulator.plan({ videoId: samples.private, does: { kind: 'delay', ms: 1_000 } });
  await show('retryJob', { path: failed, status: 200 });
  await over(app, key, failed.jobId);
  const slow = await start({ ids: [samples.slow] });
  await app.post(`/v1/jobs/${slow.jobId}/cancel`, {}, { key });
  // An item that had begun holds its credits for a moment.
  await until(async () => (await jobOf(app, key, slow.jobId)).credits_reserved === 0);
  await show('cancelJob', { path: slow, status: 200 });
  return watched.jobId;
};

type Shown = { id: string; feed_url: string };

const follows = async ({ show, refuse, app, receiverUrl }: Journey, received: () => number): Promise<void> => {
  const { core, simulator } = app;
  const source = { source: '@marketdays', max_credits_per_period: 100 };
  const made = await show<Shown>('createFollow', { body: { ...source, webhook_url: receiverUrl }, status: 201 });
  await refuse('FOLLOW_EXISTS', 'createFollow', { body: source });
  await refuse('FOLLOW_NOT_FOUND', 'getFollow', { path: { followId: 'fol_0' } });
  const path = { followId: made.id };
  const video = simulator.publish({ listId: channels.market, videoId: 'market-0001', title: 'The first stall' });
  const { videoId } = video;
  simulator.publish({ listId: channels.market, videoId: samples.private });
  await core.pool.query("UPDATE followed_sources SET last_look_at = now() - interval '1 hour'");
  await show('checkFollow', { path, status: 200 });
  await until(async () => received() >= 2);
  const shorter = video.tracks.map((track) => ({ ...track, lines: track.lines.slice(1) }));
  simulator.setVideo({ ...video, tracks: shorter });
  const since = new Date(Date.now()).toISOString();
  await core.work.recheckCaptions({ ...path, videoId, since }, { signal: AbortSignal.timeout(60_000) });
  await show('listFollowedVideos', { path, status: 200 });
  await show('pauseFollow', { path, status: 200 });
  await until(async () => received() >= 4);
  await show('resumeFollow', { path, status: 200 });
  await show('updateFollow', { path, body: { max_credits_per_period: 200, kinds: ['videos'] }, status: 200 });
  await show('readFollowFeed', { path: { token: made.feed_url.split('/').at(-1) ?? '' }, status: 200 });
  await show('rotateFollowFeed', { path, status: 200 });
  await show('listFollows', { query: { limit: '1' }, status: 200 });
  await show('getFollow', { path, status: 200 });
  await show('deleteFollow', { path, status: 204 });
  await show('watchFollow', { path, status: 200 });
};

type Captcha = { token: string; question: string };
type CreatedKey = { key: { id: string; fullKey: string } };
type Deliveries = { deliveries: { id: string; status: string }[] };

const webhooks = async (journey: Journey, jobId: string): Promise<void> => {
  const { show, app, key, receiverUrl } = journey;
  const description = 'Build server';
  const body = { url: receiverUrl, events: ['job.completed', 'job.failed'], description };
  const { webhook } = await show<{ webhook: { id: string } }>('createWebhook', { body, status: 201 });
  const path = { webhookId: webhook.id };
  await show('listWebhooks', { status: 200 });
  await show('getWebhook', { path, status: 200 });
  await show('updateWebhook', { path, body: { events: ['job.completed'] }, status: 200 });
  await show('getSigningSecret', { status: 200 });
  await show('rotateSigningSecret', { status: 200 });
  await show('rotateWebhookSecret', { path, status: 200 });
  await show('testWebhook', { path, status: 202 });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  await show('recoverDeliveries', { path, body: { since }, status: 202 });
  const query = { limit: '1' };
  await delivered(app, key, `/v1/webhooks/${path.webhookId}/deliveries`);
  const sent = await show<Deliveries>('listDeliveries', { path, query, status: 200 });
  const deliveryId = sent.deliveries[0]?.id ?? '';
  await show('replayDelivery', { path: { ...path, deliveryId }, status: 202 });
  await delivered(app, key, `/v1/jobs/${jobId}/deliveries`);
  const told = await show<Deliveries>('listJobDeliveries', { path: { jobId }, query, status: 200 });
  const ofJob = { jobId, deliveryId: told.deliveries[0]?.id ?? '' };
  await show('replayJobDelivery', { path: ofJob, status: 202 });
  await show('deleteWebhook', { path, status: 204 });
};

/** What a webhook is told of a key that spends its cap. */
const budgets = async ({ show, app, receiverUrl }: Journey, received: () => number): Promise<void> => {
  const body = { url: receiverUrl, events: ['budget.warning', 'budget.exhausted'] };
  const { webhook } = await show<{ webhook: { id: string } }>('createWebhook', { body, status: 201 });
  const small = { name: 'Trial', cap_credits: 2, cap_period: 'day', warn_at: [50] };
  const trial = await show<CreatedKey>('createKey', { body: small, status: 201 });
  for (const videoId of [video, samples.manyLanguages]) {
    const answer = await app.get(`/v1/transcripts/${videoId}`, { key: planted(trial.key.fullKey) });
    assert.equal(answer.status, 200);
  }
  await until(async () => received() >= 2);
  await show('deleteWebhook', { path: { webhookId: webhook.id }, status: 204 });
};

/** Waits until everything in a list of deliveries was taken. */
const delivered = async (app: TestApp, key: string, path: string): Promise<void> => {
  for (let looks = 0; looks < 1_200; looks += 1) {
    const { deliveries } = (await (await app.get(path, { key })).json()) as Deliveries;
    if (deliveries.length > 0 && deliveries.every(({ status }) => status === 'succeeded')) return;
    await pause(25);
  }
  throw new Error(`${path} is not delivered`);
};

const books = async ({ app, key, show, refuse }: Journey): Promise<void> => {
  await show('getUsage', { query: { days: '7' }, status: 200 });
  const { entries } = await show<{ entries: { id: string }[] }>('listLedger', { query: { limit: '1' }, status: 200 });
  const path = { id: entries[0]?.id ?? '' };
  const ledger = await app.get('/v1/ledger?limit=50', { key });
  const { entries: all } = (await ledger.json()) as { entries: { id: string; type: string }[] };
  const charge = all.find(({ type }) => type === 'CreditsCharged');
  await show('getReceipts', { path: { id: charge?.id ?? '' }, status: 200 });
  const { statements } = await show<{ statements: { period: string }[] }>('listStatements', { status: 200 });
  const period = { period: statements[0]?.period ?? '' };
  await show('getStatement', { path: period, status: 200 });
  await show('getStatement', { path: period, query: { format: 'csv' }, status: 200 });
  await show('getLedgerEntry', { path, status: 200 });
  await refuse('PROOF_PENDING', 'getLedgerProof', { path });
  const log = await app.core.transparency.log();
  while (await logSome(log, app.core.log)) {}
  await show('getLedgerProof', { path, status: 200 });
  await show('getLedgerProof', { path, headers: { Accept: 'text/plain' }, status: 200 });
  await show('getCheckpoint', { status: 200 });
  await show('exportLedger', { query: { format: 'csv' }, status: 200 });
  await show('exportLedger', { query: { format: 'ndjson' }, status: 200 });
  await show('listEvents', { query: { limit: '1' }, status: 200 });
  const accept = (type: string) => ({ headers: { Accept: type }, query: { limit: '1' }, status: 200 });
  await show('listEvents', accept('application/x-ndjson'));
  await show('listEvents', { ...accept('text/event-stream'), events: 1 });
  await show('getLogKeys', { status: 200 });
  await show('getAccountUsage', { query: { days: '7' }, status: 200 });
  await show('listAccountLedger', { query: { limit: '1', kind: 'transcript' }, status: 200 });
  await show('getAccountLedgerEntry', { path, status: 200 });
};

/** The token of the link that an operator makes for the account. */
const passwordLink = async ({ core }: TestApp): Promise<string> => {
  const found = await core.commands.findAccount({ email });
  assert.ok(found !== null);
  const { accountId } = found;
  const cause = systemCall(accountId);
  const { url } = await core.commands.issuePasswordLink({ accountId, cause });
  return planted(new URL(url).searchParams.get('token') ?? '');
};

const owner = async ({ show, app }: Journey): Promise<void> => {
  await show('listKeys', { status: 200 });
  await show('listPlans', { status: 200 });
  await show('listAccountEvents', { query: { limit: '2' }, status: 200 });
  const { sessions } = await show<{ sessions: { id: string }[] }>('listSessions', { status: 200 });
  await show('exportPersonalData', { status: 200 });
  const path = { id: sessions[0]?.id ?? '' };
  await show('revokeSession', { path, status: 204 });
  const again = () => show('login', { body: { email, password }, status: 200 });
  await again();
  await show('logout', { status: 204 });
  await again();
  const changed = { current_password: password, new_password: newPassword };
  await show('replacePassword', { body: changed, status: 204 });
  await show('requestPasswordReset', { body: { email }, status: 202 });
  const token = await passwordLink(app);
  await show('resetPassword', { body: { token, new_password: newPassword }, status: 204 });
  await show('login', { body: { email, password: newPassword }, status: 200 });
  await show('eraseAccount', { body: { password: newPassword }, status: 204 });
};

const meta = async ({ show }: Recording): Promise<void> => {
  await show('getOpenApi', { members: ['openapi'], status: 200 });
  for (const id of [
    ...['getHealth', 'getReadiness', 'probeEgress', 'getStatus', 'getStatusJson'],
    ...['getChangelog', 'getReference'],
  ]) {
    await show(id, { status: 200 });
  }
};

/** Every code that the service can answer, and what makes it answer so. */
const refusals = async (app: TestApp, told: Journey): Promise<void> => {
  // Another account's: that of the examples has had most of its requests of this minute.
  const { key: own } = await app.createAccount({ plan: 'pro' });
  const refuse: Journey['refuse'] = (code, id, asked) => told.refuse(code, id, { key: own, ...asked });
  const journey = { ...told, key: own, refuse };
  const { refused } = journey;
  const path = { videoId: video };
  const of = (videoId: string) => ({ path: { videoId } });
  await refuse('INVALID_REQUEST', 'getTranscript', { path, query: { format: 'pdf' } });
  await refuse('INVALID_VIDEO_ID', 'getTranscript', of('no video'));
  await refuse('VIDEO_NOT_FOUND', 'getTranscript', of(samples.deleted));
  await refuse('VIDEO_UNAVAILABLE', 'getTranscript', of(samples.private));
  await refuse('TRANSCRIPT_NOT_AVAILABLE', 'getTranscript', of(samples.noCaptions));
  const french = { ...of(samples.onlyAutomatic), query: { lang: 'fr' } };
  await refuse('LANGUAGE_NOT_AVAILABLE', 'getTranscript', french);
  await refuse('PLAYLIST_NOT_FOUND', 'getPlaylist', { path: { playlistId: `PL${'0'.repeat(32)}` } });
  await refuse('CHANNEL_NOT_FOUND', 'getChannel', { path: { channelId: '@nobody' } });
  await refuse('JOB_NOT_FOUND', 'getJob', { path: { jobId: 'job_0' } });
  await refuse('WEBHOOK_NOT_FOUND', 'getWebhook', { path: { webhookId: 'whk_0' } });
  await refuse('NOT_FOUND', 'getLedgerEntry', { path: { id: '0' } });
  const headers = { 'Idempotency-Key': 'reading-1' };
  await app.get(`/v1/transcripts/${video}?format=txt`, { key: journey.key, headers });
  await refuse('IDEMPOTENCY_KEY_REUSED', 'getTranscript', { path, headers });
  const poor = await app.createAccount({ credits: 0 });
  await refuse('INSUFFICIENT_CREDITS', 'getTranscript', { path, key: poor.key });
  const full = await app.createAccount();
  await app.core.pool.query('INSERT INTO libraries (account_id, videos) VALUES ($1, 100)', [full.accountId]);
  await refuse('LIBRARY_FULL', 'getTranscript', { path, query: { keep: 'true' }, key: full.key });
  const { accountId, key } = await app.createAccount();
  await app.core.commands.suspendAccount({ accountId, cause: systemCall(accountId) });
  await refuse('ACCOUNT_SUSPENDED', 'getUsage', { key });
  const client = { headers: { Authorization: `Bearer ${journey.key}` }, method: 'POST' };
  await refused('METHOD_NOT_ALLOWED', fetch(`${app.url}/v1/usage`, client));
  const form = { ...client, body: new URLSearchParams({ ids: video }) };
  await refused('UNSUPPORTED_MEDIA_TYPE', fetch(`${app.url}/v1/transcripts`, form));
  const large = { question: '?'.repeat(300_000), video_id: video };
  await refuse('PAYLOAD_TOO_LARGE', 'ask', { body: large });
  await refuse('INVALID_API_KEY', 'getUsage', { key: null });
  await platformRefusals(journey);
  // A new minute may begin meanwhile.
  for (let sent = 0; sent < 2 * limitPerMinute; sent += 1) if ((await app.get('/v1/usage')).status === 429) break;
  await refuse('RATE_LIMITED', 'getUsage', { key: null });
};

/** What keeps the next request from the platform comes last. */
const platformRefusals = async ({ app, refuse }: Journey): Promise<void> => {
  const broken = (videoId: string, does: FaultKind) => {
    app.simulator.plan({ videoId, times: 'always', does });
    return { path: { videoId } };
  };
  const page = { kind: 'html', page: 'consent' } as const;
  await refuse('PLATFORM_CHANGED', 'getTranscript', broken(generatedId('vid', 1), page));
  const away = { kind: 'reset' } as const;
  await refuse('PLATFORM_TIMEOUT', 'getTranscript', broken(generatedId('vid', 2), away));
  await refuse('PLATFORM_RATE_LIMITED', 'getTranscript', { path: { videoId: samples.tryLater } });
  await refuse('PLATFORM_BLOCKED', 'getTranscript', { path: { videoId: samples.botCheck } });
};

const ownerRefusals = async (app: TestApp, { show, refuse, refused }: Recording) => {
  const { key } = await show<CreatedKey>('createKey', { body: { scopes: ['usage'] }, status: 201 });
  await refuse('FORBIDDEN', 'getTranscript', { path: { videoId: video }, key: key.fullKey });
  await refuse('KEY_NOT_FOUND', 'revokeKey', { path: { id: 'key_0' } });
  await refused('UNAUTHENTICATED', fetch(`${app.url}/api/account/me`));
  await refuse('INVALID_CREDENTIALS', 'login', { body: { email, password: newPassword } });
  const person = { email: 'grace@example.org', password };
  const { token, question } = await show<Captcha>('getCaptcha', { status: 200 });
  const solved = { captcha_token: token, captcha_answer: solve(question) };
  await refuse('REGISTRATION_BLOCKED', 'register', { body: { ...person, ...solved } });
};

/** Applications that the owner has authorized. */
const grants = async ({ core }: Pick<TestApp, 'core'>, { show }: Pick<Recording, 'show'>): Promise<void> => {
  const { accountId = '' } = (await core.commands.findAccount({ email })) ?? {};
  const clientId = 'https://agent.example/client.json';
  const id = await core.commands.grantAuthorization(systemCall(accountId), {
    ...{ clientId, clientName: 'Example agent', scopes: ['transcripts', 'ai'] },
    ...{ creditsPerDay: 100, creditsTotal: 1_000, expiresAt: '2027-01-01T00:00:00.000Z' },
  });
  await show('listGrants', { status: 200 });
  await show('endGrant', { path: { id }, status: 204 });
};

/** What a whole service does not say as long as it is well. */
const faults = async ({ refused, show }: Recording): Promise<void> => {
  const unavailable = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  const fail = (error: Error) => async () => {
    throw error;
  };
  await using broken = await startEdge({ queries: { usage: fail(new Error('a bug')), ledger: fail(unavailable) } });
  await refused('INTERNAL_ERROR', broken.get('/v1/usage'));
  await refused('SERVICE_UNAVAILABLE', broken.get('/v1/ledger'));
  const budget = { required: 1, remaining: 0, credits_per_day: 100, credits_total: 1_000, renews: 'next_day' };
  const message = 'The user allowed this application 100 credits a day; 0 are left, 1 are needed.';
  await using spent = await startEdge({
    commands: { readTranscript: fail(new Refusal('BUDGET_EXHAUSTED', message, budget)) },
  });
  await refused('BUDGET_EXHAUSTED', spent.get(`/v1/transcripts/${video}`));
  const price = { required: 20, ask_above_credits: 10, accept_price: 20 };
  const asking = 'The account wants to be asked: start_job costs up to 20 credits here, which is above 10.';
  await using careful = await startEdge({
    commands: { readTranscript: fail(new Refusal('CONFIRMATION_REQUIRED', asking, price)) },
  });
  await refused('CONFIRMATION_REQUIRED', careful.get(`/v1/transcripts/${video}`));
  const lastProbe = { ...healthyProbe, ok: false, status: 0, reason: 'timeout' };
  await using alone = await startEdge({
    queries: { extractionHealth: () => ({ ...healthyExtraction, lastProbe }), probe: async () => lastProbe },
  });
  await show('getReadiness', { from: alone.url, key: null, status: 503 });
  await refused('NOT_READY', alone.get('/api/health/ready'));
  await using mailing = await startEdge({ commands: { requestPasswordReset: async () => {} } });
  await show('requestPasswordReset', { from: mailing.url, key: null, body: { email }, status: 202 });
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: free, resolve: finish } = Promise.withResolvers<void>();
  await using slow = await startEdge({
    commands: {
      readBatch: async () => {
        begin();
        await free;
        return { creditsCharged: 1, eventId: 'evt_1', items: [] };
      },
    },
  });
  const send = () => slow.post('/v1/transcripts', { ids: [video] }, { ...bearer, 'Idempotency-Key': 'reading-1' });
  const first = send();
  await begun;
  await refused('IDEMPOTENCY_IN_PROGRESS', send());
  finish();
  await first;
};

const record = async (): Promise<RecordedExamples> => {
  await using receiver = await startReceiver();
  await using mails = await startMailServer();
  await using app = await startTestApp({
    environment: {
      CAPTCHA_MIN_SOLVE_MS: '0',
      OUTBOUND_ALLOW: '127.0.0.0/8',
      REGISTRATIONS_PER_IP_HOUR: '1',
      SMTP_URL: mails.url,
      MAIL_FROM: 'Steno <no-reply@steno.example>',
      REQUIRE_MAILBOX_PROOF: 'true',
      // The log grows where an example needs it.
      TLOG_INTERVAL: '1h',
      UNAUTHENTICATED_REQUESTS_PER_MINUTE: String(limitPerMinute),
    },
  });
  let key = '';
  const page = browser([app.url]);
  const recorder = exampleRecorder(app, { key: () => key, page });
  const question = await register(recorder);
  await proveMailbox(recorder, { page, mails });
  await meta(recorder);
  key = planted(await keys(recorder));
  await grants(app, recorder);
  const journey = { ...recorder, app, key, receiverUrl: receiver.url };
  await transcripts(journey);
  await library(journey);
  await insights(journey);
  await listings(journey);
  const jobId = await jobs(journey);
  await webhooks(journey, jobId);
  const received = (kinds: RegExp) => () => receiver.received.filter(({ json }) => kinds.test(json.type)).length;
  await budgets(journey, received(/^budget/));
  await follows(journey, received(/^(video|follow|captions)/));
  for (const received of receiver.received) if (received.json.test !== true) recorder.deliver(received);
  await books(journey);
  await ownerRefusals(app, recorder);
  await refusals(app, journey);
  await owner(journey);
  await faults(recorder);
  return recorder.recorded({
    [question]: 'What is twelve minus eight?',
    [app.url]: 'https://steno.example.org',
    [new URL(app.url).host]: 'steno.example.org',
    [receiver.url]: 'https://example.org/steno',
    [password]: 'a long sentence that nobody guesses',
    [newPassword]: 'another sentence that nobody guesses',
  });
};

/** The members of a value and their types: values can differ, such as the status of what a worker has just begun. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  const members = Object.entries(value).map(([name, one]) => [name, shapeOf(one)]);
  return Object.fromEntries(members);
};

describe('the examples of the API', () => {
  it('have the members and types of this program: KEEP_EXAMPLES=1 records them again', async () => {
    const now = await record();
    if (process.env['KEEP_EXAMPLES'] === '1') {
      writeFileSync(recordedExamplesFile, `${JSON.stringify(now, null, 2)}\n`);
      return;
    }
    assert.deepEqual(shapeOf(now), shapeOf(recordedExamples()));
  });

  it('show every error that the service can return', () => {
    const codes = [...Object.keys(statusOf), 'INTERNAL_ERROR'];
    assert.deepEqual(Object.keys(recordedExamples().errors).toSorted(), codes.toSorted());
  });
});

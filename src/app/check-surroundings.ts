import { statfs } from 'node:fs/promises';
import type { Config } from '../config.ts';
import type { Check } from '../edges/cli/operator-interface.ts';
import { openMailer } from './open-mail.ts';

/** Timeout after which a server counts as unreachable. */
const timeoutMs = 3_000;

/** The outcomes of the check of this name. */
export const outcomesOf = (name: string) => ({
  ok: (message: string): Check => ({ name, status: 'ok', message, fix: null }),
  warning: (message: string, fix: string): Check => ({ name, status: 'warning', message, fix }),
  failed: (message: string, fix: string): Check => ({ name, status: 'failed', message, fix }),
});

/** A warning at most: Redis only counts rate limits, and without it each API process counts for itself. */
export const checkRedis = async ({ redisUrl: url }: Pick<Config, 'redisUrl'>): Promise<Check> => {
  const { ok, warning } = outcomesOf('redis');
  if (url === null) return ok('not configured: rate limits are counted in the single API process');
  try {
    const { readRedisInfo } = await import('../adapters/redis/redis-info.ts');
    const { version, isReplica, maxMemoryBytes, evictionPolicy } = await readRedisInfo(url, timeoutMs);
    if (isReplica) return warning('is a replica, which rejects writes', 'set REDIS_URL to the primary');
    if (maxMemoryBytes > 0 && evictionPolicy !== 'noeviction') {
      const message = `may evict rate limit counters: maxmemory-policy is ${evictionPolicy}`;
      return warning(message, 'redis-cli CONFIG SET maxmemory-policy noeviction (and in redis.conf)');
    }
    return ok(`Redis ${version} answers`);
  } catch (error) {
    return warning(
      `cannot be reached: ${messageOf(error)}; each API process counts limits for itself`,
      'check REDIS_URL',
    );
  }
};

/** A warning at most: while the KurrentDB does not answer, events wait in the log. */
export const checkEventStore = async ({ eventStoreUrl: url }: Pick<Config, 'eventStoreUrl'>): Promise<Check> => {
  const { ok, warning } = outcomesOf('event store');
  if (url === null) return ok('not configured: events are not relayed');
  // Loaded only if one is configured.
  const { kurrentStore } = await import('../adapters/kurrentdb/kurrent-store.ts');
  await using store = kurrentStore(url, { timeoutMs });
  try {
    await store.probe();
    return ok('KurrentDB answers');
  } catch (error) {
    return warning(`cannot be used: ${messageOf(error)}; events wait until it can`, 'check EVENTSTORE_URL');
  }
};

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A warning at most: without the provider, AI operations return extracts of the transcript. */
export const checkAiProvider = async ({ ai }: Pick<Config, 'ai'>): Promise<Check> => {
  const { ok, warning } = outcomesOf('ai provider');
  if (!ai.isEnabled) return ok('not configured: operations return extracts of the transcript');
  // Loaded only if a provider is configured.
  const { listModels } = await import('../adapters/openai/models.ts');
  const answer = await listModels({ ...ai, timeoutMs });
  if (answer.outcome === 'unreachable') {
    return warning(`cannot be reached: ${answer.why}`, 'check OPENAI_BASE_URL and the firewall');
  }
  if (answer.outcome === 'refused') {
    return warning(`refuses the key (${answer.status})`, 'set OPENAI_API_KEY to a valid key');
  }
  if (answer.outcome === 'no_list') return ok('answers, but lists no models');
  const unknown = (['model', 'embeddingModel', 'transcriptionModel'] as const).filter(
    (use) => ai[use] !== null && !answer.models.has(ai[use]),
  );
  if (unknown.length === 0) return ok('answers, and has the models');
  return warning(
    `has no model ${unknown.map((use) => ai[use]).join(', ')}`,
    `set ${unknown.map((use) => settingOf[use]).join(', ')} to one that it has`,
  );
};

const settingOf = {
  model: 'AI_MODEL',
  embeddingModel: 'AI_EMBEDDING_MODEL',
  transcriptionModel: 'AI_TRANSCRIPTION_MODEL',
} as const;

/** Checks that the configured mail server is reachable and accepts the credentials, without sending a mail. */
export const checkMail = async (config: Pick<Config, 'mail'>): Promise<Check> => {
  const { ok, warning } = outcomesOf('mail');
  const mailer = openMailer(config);
  if (mailer === null) return ok('not configured: no mail is sent');
  try {
    await mailer.verify();
    return ok('the mail server accepts the connection');
  } catch (error) {
    return warning(`the mail server ${messageOf(error)}; mails wait until it can be used`, 'check SMTP_URL');
  }
};

const mebibyte = 1_048_576;
/** Free space below which the check fails: one Postgres checkpoint writes as much. */
const leastFreeMiB = 256;
/** Free space below which (or below a tenth of the disk) the check warns. */
const scarceMiB = 2_048;
const scarceShare = 0.1;

/** Checks the free space of the file system of the embedded database. */
export const checkDisk = async (
  folder: string,
  read: (folder: string) => Promise<{ bavail: number; blocks: number; bsize: number }> = statfs,
): Promise<Check> => {
  const { ok, warning, failed } = outcomesOf('disk');
  const { bavail, blocks, bsize } = await read(folder);
  const freeMiB = Math.floor((bavail * bsize) / mebibyte);
  const share = blocks === 0 ? 1 : bavail / blocks;
  const free = freeMiB < 10_240 ? `${freeMiB} MiB` : `${Math.floor(freeMiB / 1_024)} GiB`;
  const message = `${free} free (${Math.floor(share * 100)} %) where ${folder} is`;
  const fix = 'free space there, or stop the server and move DATA_DIR to a larger file system';
  if (freeMiB < leastFreeMiB) return failed(message, fix);
  const isScarce = freeMiB < scarceMiB || (share < scarceShare && freeMiB < 5 * scarceMiB);
  return isScarce ? warning(message, fix) : ok(message);
};

import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { describe, it } from 'node:test';
import { createLogger, type LogLevel } from '#src/adapters/telemetry/log.ts';
import { LogUnavailableError } from '#src/eventlog/unavailable-error.ts';

const clock = () => new Date('2026-11-21T10:00:00.000Z');

const logInto = (options: { level?: LogLevel; isTTY?: boolean; isTalk?: boolean } = {}) => {
  const written: string[] = [];
  const { isTTY = false, isTalk = false } = options;
  const sink = { isTTY, isTalk, write: (line: string) => written.push(line) };
  return { written, logger: createLogger({ level: options.level ?? 'info', sink, clock }) };
};

const canaries = {
  key: 'stn_live_4kT9xYc2Lm8Qz1Vb7Nw3Rp6Hs5Jd0Ga9fE2uBcD',
  signing: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
  bearer: 'eyJhbGciOiJIUzI1NiJ9.canary',
  password: 'correct horse canary',
  provider: 'sk-proj-canarycanarycanary1234',
};

describe('the log', () => {
  it('is one JSON object per line, with its process and the fields of its parents', () => {
    const { written, logger } = logInto();
    logger.child({ request_id: 'req_1' }).child({ route: '/v1/jobs' }).info('answered', { status: 200n });
    const instance = `${hostname()}:${process.pid}`;
    assert.deepEqual(written, [
      `{"level":"info","time":"2026-11-21T10:00:00.000Z","service":"steno","instance":"${instance}","message":"answered","request_id":"req_1","route":"/v1/jobs","status":"200"}\n`,
    ]);
  });

  it('is a readable sentence in the messages of a command, even on a terminal', () => {
    for (const isTTY of [true, false]) {
      const { written, logger } = logInto({ isTTY, isTalk: true });
      logger.warn('a place is left alone', { left_alone_s: 30 });
      logger.error('it failed', { error: new Error('no answer') });
      assert.deepEqual(written, ['Warning: a place is left alone left_alone_s=30', 'error: it failed: no answer']);
    }
  });

  it('is one line without a stack trace for an unavailable database, wherever it is read', () => {
    const lost = new Error('Connection terminated due to connection timeout');
    const away = Object.assign(new AggregateError([lost], ''), { code: 'ECONNREFUSED' });
    for (const options of [{}, { isTTY: true }, { isTalk: true }]) {
      const { written, logger } = logInto(options);
      logger.warn('subscriptions wait', { error: lost });
      logger.warn('subscriptions wait', { error: away });
      logger.warn('subscriptions wait', { error: new LogUnavailableError('reading', lost) });
      for (const line of written) {
        assert.doesNotMatch(line, /stack|\n.|log\.test\.ts/);
        assert.match(line, /subscriptions wait.*(connection timeout|ECONNREFUSED|reading)/);
      }
    }
  });

  it('omits lines below its level', () => {
    const { written, logger } = logInto({ level: 'warn' });
    logger.debug('a');
    logger.info('b');
    logger.warn('c');
    logger.error('d');
    assert.equal(written.length, 2);
  });

  it('contains no secret, under any name and at any depth', () => {
    const { written, logger } = logInto({ level: 'debug' });
    logger.error(`the key ${canaries.key} of Bearer ${canaries.bearer}`, {
      headers: { Authorization: `Bearer ${canaries.bearer}`, 'X-API-Key': canaries.key, cookie: canaries.password },
      body: [{ password: canaries.password, note: `signed by ${canaries.signing}` }],
      url: `postgres://steno:${encodeURIComponent(canaries.password)}@db/steno`,
      secret_key: canaries.provider,
      error: new Error(`401 for ${canaries.provider}`, { cause: new Error(canaries.signing) }),
    });
    const line = written.join('');
    for (const canary of Object.values(canaries)) assert.equal(line.includes(canary), false, canary);
    assert.doesNotMatch(line, /canary|horse/);
  });

  it('shows values that only look like a secret', () => {
    const { written, logger } = logInto();
    logger.info('used', { key_id: 'key_0123456789abcdef0123456789abcdef', prompt_tokens: 42 });
    assert.match(written.join(''), /key_0123456789abcdef0123456789abcdef.*"prompt_tokens":42/);
  });

  it('truncates values that are circular, deep or long', () => {
    const { written, logger } = logInto();
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    logger.info('x'.repeat(100_000), { circular, list: Array.from({ length: 10_000 }, () => 1) });
    assert.equal(written.length, 1);
    assert.ok((written[0] ?? '').length < 10_000);
  });

  it('is human-readable on a terminal', () => {
    const { written, logger } = logInto({ isTTY: true });
    logger.warn('the disk is full', { free_mb: 3 });
    assert.match(written.join(''), /10:00:00\.000 warn .*the disk is full.* free_mb=3/);
  });
});

import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { OperatorInterface } from '#src/edges/cli/operator-interface.ts';
import { runCommandLine } from '#src/edges/cli/program.ts';
import { type Host, OutputClosedError } from '#src/edges/cli/terminal.ts';

type Failing = Partial<Host> & { readonly error?: Error; readonly failsAt?: 'open' | 'work' };

const refusedConnection = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });

/** Runs a command line on a database that fails at once, or at the first work on it. */
const run = async (line: string, { error = refusedConnection, failsAt, ...host }: Failing = {}) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(stdout), text(stderr)]);
  const fail = async (): Promise<never> => {
    throw error;
  };
  async function* failLater(): AsyncGenerator<never> {
    yield await fail();
  }
  const streams = ['exportLedger', 'rebuildProjections', 'watchJob'];
  const broken = <Commands extends object>(): Commands =>
    new Proxy<object>({}, { get: (_, name) => (streams.includes(String(name)) ? failLater : fail) }) as Commands;
  const code = await runCommandLine(line.split(' '), {
    ...{ version: '1.2.3', stdout, stderr, stdin: Readable.from(['a password\n']) },
    signal: new AbortController().signal,
    openApplication: async (): Promise<OperatorInterface> =>
      failsAt === 'work'
        ? { commands: broken(), queries: broken(), actions: broken(), [Symbol.asyncDispose]: async () => {} }
        : await fail(),
    ...{
      openReader: fail,
      startMcp: fail,
      migrate: fail,
      adoptSecret: fail,
      serve: fail,
      demo: fail,
      commit: () => null,
    },
    environment: () => ({}),
    archives: { write: failLater, restore: fail },
    ...{ checks: failLater, writeDocuments: fail, openApi: fail },
    isUnavailable: (one) => one === refusedConnection,
    ...host,
  });
  stdout.end();
  stderr.end();
  const [out, talk] = await written;
  return { code, out, talk };
};

/** Every verb that needs a database, with the least that it takes. */
const lines = [
  'mcp',
  'serve',
  'api',
  'worker',
  'migrate',
  'doctor',
  'account create --email a@example.org',
  'account plan --account acc_1 --plan pro',
  'account list',
  'account show --account acc_1',
  'account suspend --account acc_1',
  'account resume --account acc_1',
  'account erase --account acc_1 --yes',
  'account password --account acc_1',
  'keys create --account acc_1 --name one',
  'keys list --account acc_1',
  'keys revoke --account acc_1 --key key_1',
  'grant --account acc_1 --credits 1',
  'refund --account acc_1 --charge one --credits 1',
  'backup -',
  'restore -',
  'events export',
  'events import -',
  'ledger export --account acc_1',
  'verify',
  'log adopt',
  'secret adopt',
  'status note text',
  'projections status',
  'projections rebuild',
  'replay --account acc_1 --from 2026-11-01 --to 2026-12-01',
  'docs',
  'openapi',
  'get lighthouse1',
  'jobs watch job_1',
];

describe('a command that fails', () => {
  it('says why on stderr, for every verb and wherever its database fails', async () => {
    for (const error of [refusedConnection, new Error(''), new Error('it is broken')]) {
      for (const failsAt of ['open', 'work'] as const) {
        for (const line of lines) {
          const { code, talk } = await run(line, { error, failsAt });
          assert.notEqual(code, 0, line);
          assert.match(talk, /\S/, line);
          assert.doesNotMatch(talk, /steno: *\n|\n {4}at /, `${line}: ${talk}`);
        }
      }
    }
  });

  it('says that it was the database', async () => {
    const { code, out, talk } = await run('refund --account acc_1 --charge one --credits 1');
    assert.deepEqual([code, out], [9, '']);
    assert.equal(talk, 'steno: the database could not be queried: ECONNREFUSED\n');
  });

  it('says that it failed when nothing but its exit code does', async () => {
    const { code, talk } = await run('serve', { serve: async () => 1 });
    assert.deepEqual([code, talk], [1, 'steno: ended with exit code 1 (failed)\n']);
    const checks: Host['checks'] = async function* () {
      yield { name: 'database', status: 'failed', message: 'away', fix: null };
    };
    assert.deepEqual((await run('doctor', { checks })).talk, 'steno: ended with exit code 1 (failed)\n');
  });

  it('says that it was interrupted, and says nothing if its reader has gone', async () => {
    const signal = AbortSignal.abort();
    assert.deepEqual(await run('account list', { signal }), {
      ...{ code: 130, out: '', talk: 'steno: interrupted\n' },
    });
    const closed = AbortSignal.abort(new OutputClosedError());
    assert.deepEqual(await run('account list', { signal: closed }), { code: 0, out: '', talk: '' });
  });
});

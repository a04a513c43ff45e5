import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { describe, it, mock } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { creditStatus } from '#src/credits/credit-status.ts';
import { planOf } from '#src/credits/plans/plans.ts';
import { exit } from '#src/edges/cli/exit-codes.ts';
import type { LongWork, Loss, OperatorInterface, TranscriptSource } from '#src/edges/cli/operator-interface.ts';
import { runCommandLine } from '#src/edges/cli/program.ts';
import type { Terminal } from '#src/edges/cli/terminal.ts';
import { keyAnswer } from '#src/edges/http/middleware/account-answers.ts';
import { Refusal, type RefusalCode } from '#src/kernel/refusal.ts';
import type { JobRow } from '#src/queries.ts';
import { keyView } from '#test/support/account-edge.ts';

const refuse = (): never => {
  throw new Error('this test does not expect a call of this command');
};

const closed: Omit<OperatorInterface, 'commands' | 'actions'> & {
  commands: OperatorInterface['commands'];
  actions: OperatorInterface['actions'];
} = {
  commands: {
    createAccount: refuse,
    listAccounts: refuse,
    findAccount: refuse,
    openSessions: refuse,
    requestDefaults: refuse,
    chooseRequestDefaults: refuse,
    suspendAccount: refuse,
    resumeAccount: refuse,
    setPassword: refuse,
    issuePasswordLink: refuse,
    eraseAccountOf: refuse,
    setKeyCap: refuse,
    createKey: refuse,
    revokeKey: refuse,
    assignPlan: refuse,
    grantCredits: refuse,
    correctBalance: refuse,
    refundCharge: refuse,
    lookAtFollow: refuse,
    readTranscript: refuse,
  },
  queries: { keys: refuse, planOfAccount: refuse, relay: refuse },
  actions: {
    overview: refuse,
    exportLedger: refuse,
    verify: refuse,
    adoptLog: refuse,
    watchJob: refuse,
    tailLedgers: refuse,
    rebuildProjections: refuse,
    readModels: refuse,
    replayBill: refuse,
    replayStatement: refuse,
    creditNoteNumber: refuse,
    addStatusNote: refuse,
    endStatusNote: refuse,
    statusNotes: refuse,
    tlogStatus: refuse,
    witnessLog: refuse,
  },
  [Symbol.asyncDispose]: async () => {},
};

type Overrides = {
  readonly commands?: Partial<OperatorInterface['commands']>;
  readonly queries?: Partial<OperatorInterface['queries']>;
  readonly actions?: Partial<OperatorInterface['actions']>;
  readonly reader?: Partial<TranscriptSource>;
  readonly stdin?: string;
  readonly terminal?: Partial<Terminal>;
};

/** Runs one command line on an application that only answers what the test is about. */
const run = async (line: string | readonly string[], given: Overrides = {}) => {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const said = Promise.all([buffer(stdout), text(stderr)]);
  let disposed = 0;
  const dispose = async () => {
    disposed += 1;
  };
  const words = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line;
  const code = await runCommandLine(words, {
    version: '1.2.3',
    commit: () => null,
    stdout,
    stderr,
    stdin: Readable.from([given.stdin ?? '']),
    signal: new AbortController().signal,
    openApplication: async () => ({
      commands: { ...closed.commands, ...given.commands },
      queries: { ...closed.queries, ...given.queries },
      actions: { ...closed.actions, ...given.actions },
      [Symbol.asyncDispose]: dispose,
    }),
    openReader: async () => ({
      ...{ readTranscript: refuse, readChunks: refuse, listTracks: refuse, readVideo: refuse, listVideos: refuse },
      ...given.reader,
      [Symbol.asyncDispose]: dispose,
    }),
    startMcp: refuse,
    environment: () => ({}),
    migrate: refuse,
    adoptSecret: refuse,
    archives: { write: refuse, restore: refuse },
    checks: refuse,
    writeDocuments: refuse,
    openApi: refuse,
    serve: refuse,
    demo: refuse,
    isUnavailable: () => false,
    ...given.terminal,
  });
  stdout.end();
  stderr.end();
  const [bytes, talk] = await said;
  return { code, out: bytes.toString(), bytes, talk, disposed };
};

const transcript = {
  videoId: 'dQw4w9WgXcQ',
  title: 'A song',
  channel: null,
  channelId: null,
  url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
  durationS: 212,
  language: 'en',
  requestedLanguage: null,
  source: 'manual',
  cues: [{ text: 'Hello', startMs: 500, endMs: 1_250 }],
} as const;

const entry = {
  id: 'evt_1',
  type: 'CreditsGranted',
  stream: 'ledger-acc_1-2026-11',
  version: '1',
  position: '7',
  occurredAt: '2026-11-21T10:00:00.000Z',
  requestId: null,
  schemaVersion: 1,
  data: { amount: 5, by: 'a "b", c' },
  meta: { channel: 'cli' },
  prevHash: '00',
  hash: '11',
};

async function* of<Item>(...items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

describe('steno without a verb', () => {
  it('shows its verbs and starts nothing', async () => {
    const { code, out } = await run('');
    assert.equal(code, 0);
    assert.match(out, /^Usage: steno/);
    assert.match(out, /serve/);
  });
});

describe('steno account create', () => {
  it('prints the account and its key as JSON, once, and closes what it opened', async () => {
    const { code, out, talk, disposed } = await run(
      'account create --email a@b.example --password longenough --plan pro --json',
      {
        commands: {
          createAccount: async (input) => {
            assert.deepEqual(input, { email: 'a@b.example', password: 'longenough', name: null, plan: 'pro' });
            return { accountId: 'acc_1', apiKey: 'stn_live_x' };
          },
        },
      },
    );
    assert.deepEqual([code, out, talk, disposed], [0, '{"account_id":"acc_1","api_key":"stn_live_x"}\n', '', 1]);
  });

  it('takes the password from stdin, so that no shell history holds it', async () => {
    const { code } = await run('account create --email a@b.example', {
      stdin: 'from stdin\n',
      commands: {
        createAccount: async ({ password }) => {
          assert.equal(password, 'from stdin');
          return { accountId: 'acc_1', apiKey: 'k' };
        },
      },
    });
    assert.equal(code, 0);
  });

  it('accepts a password whose characters arrive in several chunks', async () => {
    const bytes = Buffer.from('gänsefüßchen\n');
    const { code } = await run('account create --email a@b.example', {
      terminal: { stdin: Readable.from([...bytes].map((byte) => Buffer.of(byte))) },
      commands: {
        createAccount: async ({ password }) => {
          assert.equal(password, 'gänsefüßchen');
          return { accountId: 'acc_1', apiKey: 'k' };
        },
      },
    });
    assert.equal(code, 0);
  });

  for (const name of ['', ' ', 'x'.repeat(101), '😀'.repeat(101), 'a\tb']) {
    it(`refuses the name ${JSON.stringify(name.slice(0, 5))} before it opens anything`, async () => {
      const words = ['account', 'create', '--email', 'a@b.example', '--name', name];
      const { code, talk, disposed } = await run([...words, '--password', 'longenough']);
      assert.deepEqual([code, disposed], [2, 0]);
      assert.match(talk, /A name has 1 to 100 characters/);
    });
  }

  it('asks for a password, and opens nothing without one', async () => {
    const { code, talk, disposed } = await run('account create --email a@b.example');
    assert.deepEqual([code, disposed], [2, 0]);
    assert.match(talk, /enter one, or give it as a line on stdin/);
  });

  it('asks for it twice on a terminal, and shows nothing of it', async () => {
    const [right, wrong] = ['a sentence of mine', 'a sentence of nine'];
    const create = (typed: readonly string[]) => {
      const { stdin, stderr } = typing(typed);
      const made: string[] = [];
      const ran = run('account create --email a@b.example', {
        terminal: { stdin, stderr },
        commands: {
          createAccount: async ({ password }) => {
            made.push(password);
            return { accountId: 'acc_1', apiKey: 'k' };
          },
        },
      });
      return ran.then(({ code }) => ({ code, made, shown: stderr.shown }));
    };
    const same = await create([`${right}\r`, `${right}\r`]);
    assert.deepEqual([same.code, same.made], [0, [right]]);
    assert.equal(same.shown, 'New password: \nOnce more: \nThe key is shown only once.\n');
    for (const typed of [[`${right}\r`, `${wrong}\r`], ['\r'], ['\u0004']]) {
      const { code, made, shown } = await create(typed);
      assert.deepEqual([code, made], [2, []]);
      assert.doesNotMatch(shown, /sentence/);
    }
  });

  it('does not ask on a terminal with --no-input, and says what is missing', async () => {
    for (const [line, told] of [
      ['account create --email a@b.example', /no password/],
      ['login', /give the URL of the server/],
      ['login http://127.0.0.1:1', /give an API key/],
    ] as const) {
      const { stdin, stderr } = typing([]);
      const { code, disposed } = await run(`${line} --no-input`, { terminal: { stdin, stderr } });
      assert.deepEqual([code, disposed], [2, 0]);
      assert.match(stderr.shown, told);
      assert.doesNotMatch(stderr.shown, /: $/m);
    }
  });
});

/** A terminal on which somebody types an answer to each question. */
const typing = (answers: readonly string[]) => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const left = [...answers];
  const stderr = Object.assign(
    new Writable({
      write: (chunk, _encoding, done) => {
        stderr.shown += chunk;
        if (String(chunk).endsWith(': ')) setImmediate(() => stdin.write(left.shift() ?? '\u0004'));
        done();
      },
    }),
    { shown: '' },
  );
  return { stdin, stderr };
};

describe('steno account list', () => {
  it('refuses a plan or a state that does not exist', async () => {
    for (const option of ['--plan none', '--state erased']) {
      const { code, talk, disposed } = await run(`account list ${option}`);
      assert.deepEqual([code, disposed], [2, 0]);
      assert.match(talk, /Allowed choices are (free|active), /);
    }
  });
});

describe('a verb about one account', () => {
  const verbs = [
    ...['account show', 'account settings', 'account suspend', 'account plan --plan pro', 'keys create', 'keys list'],
    ...['keys revoke --key key_1', 'grant --credits 5', 'refund --charge c --credits 1'],
    ...['get one', 'ledger export', 'replay --from 2026-11-01 --to 2026-12-01', 'verify'],
  ];
  for (const verb of verbs) {
    it(`accepts the mail address of the owner instead of the id: ${verb}`, async () => {
      const asked: unknown[] = [];
      const findAccount = async (wanted: unknown) => {
        asked.push(wanted);
        return null;
      };
      const { code, talk } = await run(`${verb} --email jo@b.example`, { commands: { findAccount } });
      assert.deepEqual([code, asked], [5, [{ email: 'jo@b.example' }]]);
      assert.match(talk, /There is no account jo@b\.example/);
      const both = await run(`${verb} --account acc_1 --email jo@b.example`);
      assert.equal(both.code, 2);
      assert.match(both.talk, /give one of --account and --email/);
    });
  }
});

describe('steno keys create', () => {
  it('says that a key without scopes may do everything', async () => {
    const { out } = await run('keys create --help');
    assert.match(out, /\(default: all of\s+it\)/);
  });

  const key = {
    keyId: 'key_1',
    name: 'nightly',
    prefix: 'stn_live_abcd',
    scopes: ['jobs', 'usage'] as const,
    capCredits: 500,
    capPeriod: 'period' as const,
    warnAt: [],
    capUsed: 0,
    expiresAt: '2027-01-01T00:00:00.000Z',
    rolledTo: null,
    createdAt: '2026-11-21T10:00:00.000Z',
    lastUsedAt: null,
    revokedAt: null,
    creditsUsed: 0,
  };
  const made = { keyId: 'key_1', prefix: key.prefix, fullKey: 'stn_live_x', key };

  it('creates a key for an account as an operator, and shows it once', async () => {
    const given: unknown[] = [];
    const line =
      'keys create --account acc_1 --name nightly --scopes jobs,usage --cap 500 --expires 2027-01-01T01:00:00+01:00';
    const createKey: OperatorInterface['commands']['createKey'] = async (call, input) => {
      given.push([call.accountId, call.actor.type, call.channel], input);
      return made;
    };
    const { code, out, talk, disposed } = await run(line, { commands: { createKey } });
    assert.deepEqual(given, [
      ['acc_1', 'operator', 'cli'],
      {
        name: 'nightly',
        scopes: ['jobs', 'usage'],
        ...{ capCredits: 500, capPeriod: 'period', warnAt: [50, 80, 95] },
        expiresAt: '2027-01-01T00:00:00.000Z',
      },
    ]);
    assert.deepEqual(
      [code, out, talk, disposed],
      [0, 'key      key_1\napi key  stn_live_x\n', 'The key is shown only once.\n', 1],
    );
    const asJson = await run(`${line} --json`, { commands: { createKey } });
    const { account_id, api_key, ...shown } = JSON.parse(asJson.out);
    assert.deepEqual([account_id, api_key], ['acc_1', 'stn_live_x']);
    const list = await run('keys list --account acc_1 --json', { queries: { keys: async () => [key] } });
    assert.deepEqual(shown, JSON.parse(list.out));
  });

  it('creates one with all scopes and no expiry by default', async () => {
    let given: unknown;
    const { code } = await run('keys create --account acc_1', {
      commands: {
        createKey: async (_, input) => {
          given = input;
          return made;
        },
      },
    });
    assert.deepEqual(
      [code, given],
      [0, { name: 'API key', scopes: [], capCredits: null, capPeriod: 'period', warnAt: [], expiresAt: null }],
    );
  });

  for (const option of [
    '--name=',
    `--name=${'x'.repeat(101)}`,
    '--scopes=',
    '--scopes=jobs,money',
    '--cap=0',
    '--expires=2027-01-01',
    '--expires=never',
    '--expires=0000-01-01T00:00:00Z',
  ]) {
    it(`refuses ${option.slice(0, 20)} before it opens anything`, async () => {
      const { code, disposed } = await run(['keys', 'create', '--account', 'acc_1', option]);
      assert.deepEqual([code, disposed], [2, 0]);
    });
  }

  it('says where to look if its response is lost: a repeat would create a second key', async () => {
    const { code, out, talk } = await run('keys create --account acc_1', {
      commands: {
        createKey: async () => {
          throw new Error('the connection broke');
        },
      },
    });
    assert.deepEqual([code, out], [1, '']);
    assert.match(talk, /It may have been created: check with steno keys list --account acc_1\./);
  });
});

describe('steno keys list', () => {
  const shown = keyView({ creditsUsed: 7 });
  const keys: OperatorInterface['queries']['keys'] = async () => [
    { ...shown, keyId: 'key_3', expiresAt: '2027-01-01T00:00:00.000Z' },
    { ...shown, keyId: 'key_2', expiresAt: '2027-01-01T00:00:00.000Z', revokedAt: '2026-11-22T00:00:00.000Z' },
    shown,
  ];

  it('prints a line for each key, with its expiry', async () => {
    const { code, out } = await run('keys list --account acc_1', { queries: { keys } });
    assert.equal(code, 0);
    assert.deepEqual(
      out.split('\n').map((line) => line.split('\t')),
      [
        ['key_3', 'stn_live_abcd', 'expires 2027-01-01T00:00:00.000Z', 'API key'],
        ['key_2', 'stn_live_abcd', 'revoked 2026-11-22T00:00:00.000Z', 'API key'],
        ['key_1', 'stn_live_abcd', '-', 'API key'],
        [''],
      ],
    );
  });

  it('prints a line of JSON for each, with what the API shows of it', async () => {
    const { out } = await run('keys list --account acc_1 --json', { queries: { keys } });
    const { id, links: _, ...answer } = keyAnswer(shown);
    assert.deepEqual(JSON.parse(out.trim().split('\n').at(-1) ?? ''), { key_id: id, ...answer });
  });
});

describe('steno keys cap', () => {
  it('takes the cap away by the word none, and leaves alone what is not named', async () => {
    const { code } = await run('keys cap --account acc_1 --key key_1 --cap none', {
      commands: { setKeyCap: async (_, input) => assert.deepEqual(input, { keyId: 'key_1', capCredits: null }) },
      queries: { keys: async () => [] },
    });
    assert.equal(code, 0);
  });

  it('says which options it takes when there is none of them', async () => {
    const { code, talk } = await run('keys cap --account acc_1 --key key_1');
    assert.equal(code, 2);
    assert.match(talk, /give --cap, --cap-period or --warn-at/);
  });
});

describe('steno keys revoke', () => {
  it('revokes a key as an operator', async () => {
    const { code, out } = await run('keys revoke --account acc_1 --key key_1', {
      commands: {
        revokeKey: async ({ accountId, actor }, input) => {
          assert.deepEqual([accountId, actor.type], ['acc_1', 'operator']);
          assert.deepEqual(input, { keyId: 'key_1' });
        },
      },
    });
    assert.deepEqual([code, out], [0, 'key_1 is no longer valid\n']);
  });
});

describe('steno account correct', () => {
  const line = ['account', 'correct', '--account', 'acc_1', '--entry', 'evt_1'];

  it('deducts or adds credits as an operator, once per id, and prints the credit note', async () => {
    for (const credits of [-2, 3]) {
      const { code, out } = await run(
        [...line, `--credits=${credits}`, '--reason', ' a typo ', '--id', 'ticket-9', '--json'],
        {
          commands: {
            correctBalance: async ({ accountId, actor }, input) => {
              assert.deepEqual([accountId, actor.type], ['acc_1', 'operator']);
              assert.deepEqual(input, { correctionId: 'ticket-9', entryId: 'evt_1', amount: credits, why: 'a typo' });
              return { creditsCharged: 0, eventId: 'evt_8', isRepeat: false };
            },
          },
          actions: { creditNoteNumber: async ({ eventId }) => (eventId === 'evt_8' ? 'CN-2026-11-01-1' : '') },
        },
      );
      assert.equal(code, 0);
      assert.deepEqual(JSON.parse(out), {
        ...{ account_id: 'acc_1', entry: 'evt_1', correction_id: 'ticket-9', number: 'CN-2026-11-01-1', credits },
        ...{ event_id: 'evt_8', repeated: false },
      });
    }
  });

  it('requires an entry, a reason, and whole credits other than 0', async () => {
    const reason = ['--reason', 'a typo'];
    for (const credits of ['0', '-0', '1.5', '--1', '1e3', '99999999999']) {
      const { code, disposed } = await run([...line, `--credits=${credits}`, ...reason]);
      assert.deepEqual([code, disposed], [2, 0], credits);
    }
    for (const words of [
      [...line, '--credits', '1'],
      [...line, '--credits', '1', '--reason', ' '],
      [...line.slice(0, 4), '--credits', '1', ...reason],
    ]) {
      assert.equal((await run(words)).code, 2);
    }
  });
});

describe('steno refund', () => {
  const charge = '00000000-0000-5000-8000-000000000007';

  const line = `refund --account acc_1 --charge ${charge} --credits 3`;
  const refunding = (isRepeat: boolean) => ({
    commands: { refundCharge: async () => ({ creditsCharged: 0, eventId: 'evt_8', isRepeat }) },
  });

  it('refunds a charge as an operator, once per id, with its reason', async () => {
    const { code, out } = await run(`${line} --why lost --id ticket-7`, {
      commands: {
        refundCharge: async ({ accountId, actor, channel }, input) => {
          assert.deepEqual([accountId, actor.type, channel], ['acc_1', 'operator', 'cli']);
          const wanted = { refundId: 'ticket-7', chargeId: charge, amount: 3, why: 'lost' };
          assert.deepEqual(input, wanted);
          return { creditsCharged: 0, eventId: 'evt_8', isRepeat: false };
        },
      },
    });
    assert.deepEqual([code, out], [0, `refunded 3 credits of ${charge} to acc_1 (ticket-7)\n`]);
  });

  it('says that a repeat is one', async () => {
    const { code, out } = await run(`${line} --id ticket-7`, refunding(true));
    assert.deepEqual(
      [code, out],
      [0, `acc_1 was already refunded these 3 credits of ${charge} (ticket-7); nothing more was refunded\n`],
    );
    for (const isRepeat of [true, false]) {
      const asJson = await run(`${line} --id ticket-7 --json`, refunding(isRepeat));
      assert.deepEqual(JSON.parse(asJson.out), {
        ...{ account_id: 'acc_1', charge_id: charge, refund_id: 'ticket-7', credits: 3 },
        ...{ event_id: 'evt_8', repeated: isRepeat },
      });
    }
  });

  it('generates an id for a refund without one, and prints it if the response is lost', async () => {
    const { out } = await run(line, refunding(false));
    const [, own] = /\((rfd_[0-9a-f]{32})\)/.exec(out) ?? [];
    assert.ok(own !== undefined, out);
    let sent = '';
    const lost = await run(line, {
      commands: {
        refundCharge: async (_, { refundId }) => {
          sent = refundId;
          throw new Error('the connection broke');
        },
      },
    });
    assert.notEqual(sent, own);
    assert.deepEqual(
      [lost.code, lost.out, lost.talk],
      [
        1,
        '',
        `It may have taken effect: repeat it with --id ${sent}, and it takes effect once.\nsteno: the connection broke\n`,
      ],
    );
  });

  for (const id of ['', 'x'.repeat(256)]) {
    it(`opens nothing for an id of ${id.length} characters`, async () => {
      const { code, disposed } = await run(`${line} --id=${id}`);
      assert.deepEqual([code, disposed], [2, 0]);
    });
  }

  it('requires a reason that is not blank', async () => {
    for (const why of ['', ' ', 'x'.repeat(201)]) {
      const words = ['refund', '--account', 'acc_1', '--charge', charge, '--credits', '1'];
      const { code, disposed } = await run([...words, '--why', why]);
      assert.deepEqual([code, disposed], [2, 0]);
    }
  });
});

describe('steno --version', () => {
  it('names the version, and the commit where it is known', async () => {
    assert.equal((await run('--version')).out, '1.2.3\n');
    assert.equal(
      (await run('--version', { terminal: { commit: () => '0a1b2c3d4e5f' } })).out,
      '1.2.3 (0a1b2c3d4e5f)\n',
    );
  });
});

describe('steno grant', () => {
  it('grants credits as an operator, once per id', async () => {
    const { code, out } = await run('grant --account acc_1 --credits 500 --id spring --reason goodwill', {
      commands: {
        grantCredits: async ({ accountId, actor, channel }, input) => {
          assert.deepEqual([accountId, actor.type, channel], ['acc_1', 'operator', 'cli']);
          assert.deepEqual(input, { grantId: 'spring', amount: 500, expiresAt: null, why: 'goodwill' });
          return { creditsCharged: 0, eventId: 'evt_1', isRepeat: false };
        },
      },
    });
    assert.deepEqual([code, out], [0, 'granted 500 credits to acc_1 (spring)\n']);
  });

  it('says that a repeat is one', async () => {
    const repeated = async () => ({ creditsCharged: 0, eventId: 'evt_1', isRepeat: true });
    const line = 'grant --account acc_1 --credits 500 --id spring';
    const { code, out } = await run(line, { commands: { grantCredits: repeated } });
    const said = 'acc_1 already has these 500 credits (spring); nothing more was granted\n';
    assert.deepEqual([code, out], [0, said]);
    const asJson = await run(`${line} --json`, { commands: { grantCredits: repeated } });
    assert.deepEqual(JSON.parse(asJson.out), {
      ...{ account_id: 'acc_1', grant_id: 'spring', credits: 500, event_id: 'evt_1' },
      repeated: true,
    });
  });

  for (const credits of ['0', '-5', '1.5', 'all']) {
    it(`refuses ${credits} credits before it opens anything`, async () => {
      const { code, disposed } = await run(`grant --account acc_1 --credits ${credits}`);
      assert.deepEqual([code, disposed], [2, 0]);
    });
  }
});

describe('steno ledger export', () => {
  const actions = { exportLedger: () => of(entry) };

  it('prints one JSON object per line', async () => {
    const { out } = await run('ledger export --account acc_1', { actions });
    assert.deepEqual(JSON.parse(out), {
      event_id: 'evt_1',
      type: 'CreditsGranted',
      stream: 'ledger-acc_1-2026-11',
      version: '1',
      position: '7',
      occurred_at: '2026-11-21T10:00:00.000Z',
      request_id: null,
      schema_version: 1,
      data: { amount: 5, by: 'a "b", c' },
      meta: { channel: 'cli' },
      prev_hash: '00',
      hash: '11',
    });
  });

  it('refuses two formats at once', async () => {
    for (const line of ['ledger export --account acc_1 --format csv --json', 'get one -f srt --json']) {
      const { code, disposed } = await run(line);
      assert.deepEqual([code, disposed], [2, 0]);
    }
  });

  it('prints CSV that spreadsheets and DuckDB read back', async () => {
    const { out } = await run('ledger export --account acc_1 --format csv', { actions });
    const [head, row] = out.trim().split('\n');
    assert.equal(
      head,
      'event_id,type,stream,version,position,occurred_at,request_id,schema_version,data,meta,prev_hash,hash',
    );
    assert.equal(
      row,
      `evt_1,CreditsGranted,ledger-acc_1-2026-11,1,7,2026-11-21T10:00:00.000Z,,1,"{""amount"":5,""by"":""a \\""b\\"", c""}","{""channel"":""cli""}",00,11`,
    );
  });
});

describe('steno backup', () => {
  it('warns where it prints secrets on a terminal, and only there', async () => {
    const end = { last_position: '1', events: 1, streams: 1, tables: {}, tasks: 0, sha256: 'x' };
    const archives = { write: () => of(`${JSON.stringify({ end })}\n`), restore: refuse };
    for (const [isTTY, line, warns] of [
      [true, 'backup -', true],
      [false, 'backup -', false],
      [true, 'events export', false],
    ] as const) {
      const stdout = Object.assign(new PassThrough().resume(), { isTTY });
      const { talk } = await run(line, { terminal: { stdout, archives } });
      assert.equal(/^Warning: password hashes, .* on this terminal/m.test(talk), warns, line);
    }
  });
});

describe('steno events import', () => {
  for (const plain of ['{"archive":1}\n', 'ab', '']) {
    it(`reads ${plain.length} bytes from a pipe that delivers them one by one, compressed or not`, async () => {
      for (const bytes of [Buffer.from(plain), zstdCompressSync(Buffer.from(plain))]) {
        let read = '';
        const archives = {
          write: refuse,
          restore: async (source: AsyncIterable<Uint8Array>) => {
            for await (const piece of source) read += Buffer.from(piece).toString();
            return { events: 0, streams: 0, last_position: '0', tables: {}, tasks: 0, sha256: '' };
          },
        };
        const stdin = Readable.from([...bytes].map((byte) => Buffer.of(byte)));
        const { code } = await run('events import -', { terminal: { stdin, archives } });
        assert.deepEqual([code, read], [0, plain]);
      }
    });
  }
});

describe('work of more than two seconds', () => {
  const archived = { last_position: '9', events: 9, streams: 2, tables: {}, tasks: 0, sha256: 'x' };
  const reach = (what: string, onProgress: LongWork['onProgress'], clock: { now: number }): void => {
    for (const done of [0, 500, 1_000]) {
      onProgress?.({ what, done, total: 1_000 });
      clock.now += 5_000;
    }
  };

  for (const [line, what] of [
    ['backup -', 'lines'],
    ['events export', 'lines'],
    ['restore -', 'usage, events'],
    ['events import -', 'usage, events'],
    ['ledger export --account acc_1', 'entries'],
    ['replay --account acc_1 --from 2026-11-01 --to 2026-12-01', 'entries'],
    ['verify', 'accounts'],
    ['projections rebuild', 'usage, events'],
  ] as const) {
    it(`shows total, rate and time left: steno ${line}`, async () => {
      const clock = { now: 0 };
      mock.method(performance, 'now', () => clock.now);
      const result = { ...archived, streams: 0, problems: [], lines: [] };
      const work = async (_: unknown, { onProgress }: LongWork) => {
        reach(what, onProgress, clock);
        return result as never;
      };
      const pieces = async function* (_: unknown, { onProgress }: LongWork) {
        reach(what, onProgress, clock);
        yield `${JSON.stringify({ end: archived })}\n`;
      };
      const none = async function* (_: unknown, { onProgress }: LongWork): AsyncGenerator<never> {
        reach(what, onProgress, clock);
        yield* [];
      };
      const { talk } = await run(line, {
        actions: { ...{ exportLedger: none, replayBill: work, verify: work, rebuildProjections: none } },
        terminal: { archives: { write: pieces, restore: (_, input, options) => work(input, options) } },
      });
      mock.reset();
      assert.deepEqual(talk.split('\n').slice(0, 2), [
        `${what}: 500 of 1000, 100/s, 5 s left`,
        `${what}: 1000 of 1000, 100/s`,
      ]);
    });
  }
});

describe('steno ledger export as Parquet', () => {
  const columns = {
    event_id: ['BYTE_ARRAY', 'UTF8', 'REQUIRED'],
    type: ['BYTE_ARRAY', 'UTF8', 'REQUIRED'],
    stream: ['BYTE_ARRAY', 'UTF8', 'REQUIRED'],
    version: ['INT64', undefined, 'REQUIRED'],
    position: ['INT64', undefined, 'REQUIRED'],
    occurred_at: ['INT64', 'TIMESTAMP_MILLIS', 'REQUIRED'],
    request_id: ['BYTE_ARRAY', 'UTF8', 'OPTIONAL'],
    schema_version: ['INT32', undefined, 'REQUIRED'],
    data: ['BYTE_ARRAY', 'JSON', 'REQUIRED'],
    meta: ['BYTE_ARRAY', 'JSON', 'REQUIRED'],
    prev_hash: ['BYTE_ARRAY', 'UTF8', 'REQUIRED'],
    hash: ['BYTE_ARRAY', 'UTF8', 'REQUIRED'],
  };
  /** A file as another program reads it. */
  const readBack = async ({ buffer: whole, byteOffset, byteLength }: Buffer) => {
    const file = Uint8Array.from(new Uint8Array(whole, byteOffset, byteLength)).buffer;
    const { schema, row_groups } = parquetMetadata(file);
    const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) };
    return {
      columns: Object.fromEntries(
        schema
          .slice(1)
          .map(({ name, type, converted_type, repetition_type }) => [name, [type, converted_type, repetition_type]]),
      ),
      groups: row_groups.map(({ num_rows }) => Number(num_rows)),
      rows: await parquetReadObjects({ file, compressors }),
    };
  };
  const line = 'ledger export --account acc_1 --format';

  it('has the rows of ndjson, with types, and is written while it is read', async () => {
    const stdout = new PassThrough();
    const chunks: Buffer[] = [];
    stdout.on('data', (chunk) => chunks.push(chunk));
    let writtenBeforeTheEnd = 0;
    const exportLedger = async function* () {
      for (let n = 1; n <= 10_050; n += 1) {
        const position = String(2n ** 53n + BigInt(n));
        const requestId = n % 2 === 0 ? `req_${n}` : null;
        yield { ...entry, id: `evt_${n}`, version: `${n}`, position, requestId };
      }
      writtenBeforeTheEnd = chunks.length;
    };
    const actions = { exportLedger };
    const { out } = await run(`${line} ndjson`, { actions });
    const { code } = await run(`${line} parquet`, { actions, terminal: { stdout } });
    const file = await readBack(Buffer.concat(chunks));
    assert.equal(code, 0);
    assert.deepEqual([file.columns, file.groups], [columns, [10_000, 50]]);
    assert.ok(writtenBeforeTheEnd > 0);
    const asLines = file.rows.map((row) => ({
      ...row,
      version: String(row['version']),
      position: String(row['position']),
      occurred_at: row['occurred_at'].toISOString(),
    }));
    assert.deepEqual(
      asLines,
      out
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text)),
    );
  });

  it('is a complete file even without rows, and is not printed on a terminal', async () => {
    const actions = { exportLedger: () => of<typeof entry>() };
    const { bytes } = await run(`${line} parquet`, { actions });
    assert.deepEqual(await readBack(bytes), { columns, groups: [], rows: [] });

    const stdout = Object.assign(new PassThrough(), { isTTY: true });
    const shown = await run(`${line} parquet`, { actions, terminal: { stdout } });
    assert.deepEqual([shown.code, shown.disposed], [2, 0]);
    assert.match(shown.talk, /add > ledger\.parquet/);
  });
});

describe('steno verify', () => {
  it('prints the first bad position and fails', async () => {
    const { code, out, talk } = await run('verify', {
      actions: {
        verify: async () => ({
          streams: 2,
          events: 9,
          problems: [{ stream: 'ledger-a', position: '4', message: 'the hash does not follow' }],
        }),
      },
    });
    assert.deepEqual([code, out], [1, '4\tledger-a\tthe hash does not follow\n']);
    assert.match(talk, /^9 entries in 2 ledger streams verified, every read model compared: 1 problem$/m);
  });

  it('says on stderr that all is well, and keeps stdout for data', async () => {
    const { code, out, talk } = await run('verify --account acc_1', {
      actions: {
        verify: async ({ accountId }) => {
          assert.equal(accountId, 'acc_1');
          return { streams: 2, events: 9, problems: [] };
        },
      },
    });
    assert.deepEqual([code, out, talk], [0, '', '9 entries in 2 ledger streams verified: 0 problems\n']);
  });
});

describe('steno projections status', () => {
  const live = {
    name: 'usage',
    version: 'live',
    position: '9',
    lagPositions: 2,
    lagSeconds: 3,
    failure: null,
  } as const;
  const missing = { ...live, name: 'jobs', version: 'missing', position: null, failure: 'it is broken' } as const;

  it('prints a line for each read model, also by the name list', async () => {
    for (const verb of ['status', 'list']) {
      const { code, out } = await run(`projections ${verb}`, { actions: { readModels: async () => [live, missing] } });
      assert.deepEqual([code, out], [0, 'usage\tlive\t9\t2\t3\t-\njobs\tmissing\t-\t2\t3\tit is broken\n']);
    }
    const { out } = await run('projections status --json', { actions: { readModels: async () => [live] } });
    const { lagPositions: lag_positions, lagSeconds: lag_seconds, ...row } = live;
    assert.deepEqual(JSON.parse(out), { ...row, lag_positions, lag_seconds });
  });
});

describe('steno projections rebuild', () => {
  it('fails when a read model could not be switched', async () => {
    const rebuilt = { events: 9, elapsedMs: 12, differences: 0, message: null };
    const { code, out } = await run('projections rebuild usage --side-by-side', {
      actions: {
        rebuildProjections: (input) => {
          assert.deepEqual(input, { name: 'usage', isSideBySide: true });
          return of({ ...rebuilt, name: 'usage', isSwitched: false });
        },
      },
    });
    assert.deepEqual([code, out], [1, 'usage: 9 events in 12 ms, 0 rows differed, not switched\n']);
  });
});

describe('steno replay', () => {
  const bill = {
    accountId: 'acc_1',
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-12-01T00:00:00.000Z',
    opening: 0,
    granted: 10,
    charged: 3,
    refunded: 1,
    corrected: 0,
    expired: 0,
    reserved: 0,
    closing: 8,
    lines: [{ operation: 'transcript' as const, count: 3, credits: 3 }],
  };

  it('bills a period of whole UTC days', async () => {
    const { code, out } = await run('replay --account acc_1 --from 2026-11-01 --to 2026-12-01 --json', {
      actions: {
        replayBill: async (input) => {
          assert.deepEqual(input, { accountId: 'acc_1', from: bill.from, to: bill.to });
          return bill;
        },
      },
    });
    const { accountId, ...rest } = bill;
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out), { account_id: accountId, ...rest });
  });

  for (const date of ['yesterday', '2026-02-31', '2026-11-01T25:00:00Z']) {
    it(`refuses ${date}`, async () => {
      const { code } = await run(`replay --account acc_1 --from ${date} --to 2026-12-01`);
      assert.equal(code, 2);
    });
  }

  it('refuses a period that ends before it begins, or when it begins', async () => {
    for (const from of ['2026-12-01', '2026-12-02']) {
      const { code, talk } = await run(`replay --account acc_1 --from ${from} --to 2026-12-01`);
      assert.equal(code, 2);
      assert.match(talk, /--from must be earlier than --to/);
    }
  });
});

describe('steno jobs watch', () => {
  const begun: JobRow = {
    jobId: 'job_1',
    accountId: 'acc_1',
    kind: 'batch',
    reference: null,
    status: 'processing',
    run: 1,
    totalItems: 4,
    completedItems: 1,
    failedItems: 0,
    creditsCharged: 1,
    webhookUrl: null,
    errorCode: null,
    errorMessage: null,
    createdAt: '2026-11-21T10:00:00.000Z',
    updatedAt: '2026-11-21T10:00:01.000Z',
    position: '9',
  };
  const at = '2026-11-21T10:00:02.000Z';
  const ended: JobRow = { ...begun, status: 'completed', completedItems: 4, updatedAt: at };
  const watching = (...jobs: readonly JobRow[]): Overrides => ({
    actions: {
      watchJob: ({ jobId }) => {
        assert.equal(jobId, 'job_1');
        return of(...jobs);
      },
    },
  });

  it('prints a line for each change without a terminal', async () => {
    const { code, out, talk, disposed } = await run('jobs watch job_1', watching(begun, ended));
    assert.equal(
      out,
      '2026-11-21T10:00:01.000Z processing: 1 of 4 complete, 0 failed\n' +
        '2026-11-21T10:00:02.000Z completed: 4 of 4 complete, 0 failed\n',
    );
    assert.deepEqual([code, talk, disposed], [0, '', 1]);
  });

  it('shows a progress bar on a terminal', async () => {
    const stdout = Object.assign(new PassThrough(), { isTTY: true });
    const shown = text(stdout);
    await run('jobs watch job_1', { ...watching(begun, ended), terminal: { stdout } });
    stdout.end();
    const [, first, last] = (await shown).split('\r\x1b[2K');
    assert.equal(first, `[${'#'.repeat(7)}${'-'.repeat(23)}] processing: 1 of 4 complete, 0 failed`);
    assert.equal(last, `[${'#'.repeat(30)}] completed: 4 of 4 complete, 0 failed\n`);
  });

  it('prints a line of JSON for each change', async () => {
    const { out } = await run('jobs watch job_1 --json', watching(begun, ended));
    const lines = out.trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).completed_items),
      [1, 4],
    );
    assert.deepEqual(JSON.parse(lines[0] ?? ''), {
      job_id: 'job_1',
      status: 'processing',
      run: 1,
      total_items: 4,
      completed_items: 1,
      failed_items: 0,
      error_code: null,
      error_message: null,
      updated_at: '2026-11-21T10:00:01.000Z',
    });
  });

  const endings = [
    ['completed', 0],
    ['completed_with_errors', 8],
    ['failed', 1],
    ['cancelled', 1],
  ] as const;
  for (const [status, expected] of endings) {
    it(`ends with ${expected} when the job is ${status}`, async () => {
      const { code } = await run('jobs watch job_1', watching({ ...ended, status }));
      assert.equal(code, expected);
    });
  }

  it('says why a job failed as a whole', async () => {
    const why = { errorCode: 'PLAYLIST_NOT_FOUND', errorMessage: 'There is no such playlist.' };
    const { talk } = await run('jobs watch job_1', watching({ ...ended, status: 'failed', ...why }));
    assert.equal(talk, 'PLAYLIST_NOT_FOUND: There is no such playlist.\n');
  });
});

const transcripts: Partial<TranscriptSource> = {
  readTranscript: async ({ reference, format }) => {
    if (reference === 'private') throw new Refusal('VIDEO_UNAVAILABLE', 'The video is private.');
    return { transcript, text: format === 'json' ? null : `${reference} as ${format}\n` };
  },
};

describe('steno get', () => {
  const reader = transcripts;

  it('prints transcripts in the order of the links', async () => {
    const { code, out } = await run('get one two -f md', { reader });
    assert.deepEqual([code, out], [0, 'one as markdown\ntwo as markdown\n']);
  });

  it('refuses to print several subtitle files on stdout, or to write several transcripts into one file', async () => {
    const list = 'PLharbour0000000000000000000000001';
    for (const line of ['one two -f srt', '- -f vtt', `${list} -f srt`, 'one two -o all.txt']) {
      const { code, talk, disposed } = await run(`get ${line}`, { stdin: 'one\ntwo\n' });
      assert.deepEqual([code, disposed], [2, 0], line);
      assert.match(talk, /for several videos, give -o a folder or a template/);
    }
    const one = await run('get - -f vtt', { reader, stdin: 'one\n' });
    assert.deepEqual([one.code, one.out], [0, 'one as vtt\n']);
  });

  it('asks once, with the languages in their order, the kind of captions, speech and words', async () => {
    const asked: unknown[] = [];
    const readTranscript: TranscriptSource['readTranscript'] = async ({
      reference,
      language,
      captions,
      asr,
      words,
    }) => {
      asked.push([reference, language, captions, asr, words]);
      return { transcript, text: 'words' };
    };
    const { code, out } = await run('get one -l de,fr,en', { reader: { readTranscript } });
    assert.deepEqual([code, out], [0, 'words\n']);
    for (const line of ['--captions manual --words one', '--asr one', 'one --asr force', '--asr=force one'])
      assert.equal((await run(`get ${line}`, { reader: { readTranscript } })).code, 0, line);
    assert.deepEqual(asked, [
      ['one', 'de,fr,en', 'any', 'off', false],
      ['one', null, 'manual', 'off', true],
      ['one', null, 'any', 'auto', false],
      ['one', null, 'any', 'force', false],
      ['one', null, 'any', 'force', false],
    ]);
  });

  it('names a language, a kind or an option of words that it does not accept', async () => {
    for (const [line, wrong] of [
      ['-l de,', /such as de,en/],
      ['-l de,xx', /there is no language "xx"/],
      ['-l de,DE', /names "DE" twice/],
      ['--captions none', /any, manual, automatic/],
      ['--asr=always', /off, auto, force/],
    ] as const) {
      const { code, talk } = await run(`get one ${line}`);
      assert.equal(code, 2, line);
      assert.match(talk, wrong);
    }
  });

  it('reads nothing if -o is not writable, and stops once a file cannot be written', async () => {
    const never = { readTranscript: refuse };
    const { code, talk } = await run('get one two -o /proc/none', { reader: never });
    assert.deepEqual([code, talk], [1, 'steno: /proc/none cannot be written: there is no such folder\n']);

    await using folder = await mkdtempDisposable(join(tmpdir(), 'steno-get-'));
    await writeFile(join(folder.path, 'file'), '');
    let reads = 0;
    const readTranscript = async () => {
      reads += 1;
      return { transcript: { ...transcript, channel: 'file' }, text: 'words' };
    };
    const template = `${folder.path}/{channel}/{id}.{ext}`;
    const stopped = await run(['get', 'one', 'two', '-o', template], { reader: { readTranscript } });
    assert.deepEqual([stopped.code, reads], [1, 1]);
    assert.match(stopped.talk, /file\/dQw4w9WgXcQ\.txt cannot be written: a part of its path is a/);
  });

  it('reads the videos of playlists and channels', async () => {
    const video = { title: null, url: '', duration: null, availability: 'public' } as const;
    const listed: unknown[] = [];
    const listVideos: TranscriptSource['listVideos'] = async (wanted) => {
      listed.push(wanted);
      if (wanted.kind === 'playlist') throw new Refusal('PLAYLIST_NOT_FOUND', 'No such list.');
      return {
        hasMore: true,
        videos: [
          { ...video, video_id: 'dQw4w9WgXcQ', position: 1 },
          { ...video, video_id: 'private', position: 2 },
        ],
      };
    };
    const given = { reader: { ...reader, listVideos } };
    const { code, out, talk } = await run('get @harbour PLnone one --limit 2', given);
    assert.deepEqual([code, out], [8, 'dQw4w9WgXcQ as txt\none as txt\n']);
    assert.deepEqual(listed, [
      { kind: 'channel', reference: '@harbour', limit: 2 },
      { kind: 'playlist', reference: 'PLnone', limit: 2 },
    ]);
    assert.match(talk, /^PLnone: No such list\.\nprivate: The video is private\.\n$/);
    const rows = await run('channels @harbour --local', given);
    assert.equal(rows.out.split('\n')[0], 'dQw4w9WgXcQ\t-\tpublic\t-');
    const more = await run('get @harbour --limit 3', given);
    assert.match(more.talk, /^@harbour: only its first 2 videos; use steno jobs create for more$/m);
  });

  it('lists as many videos as the API does, in this process too', async () => {
    const limits: unknown[] = [];
    const listVideos: TranscriptSource['listVideos'] = async ({ limit }) => {
      limits.push(limit);
      return { hasMore: false, videos: [] };
    };
    const given = { reader: { ...reader, listVideos } };
    for (const line of ['channels @harbour', 'playlists PLone', 'channels @harbour --limit 500']) {
      assert.equal((await run(line, given)).code, 0);
    }
    assert.deepEqual(limits, [50, 100, 500]);
    for (const kind of ['channels', 'playlists']) {
      const { code, talk } = await run(`${kind} one --limit 600`, given);
      assert.deepEqual([code, /from 1 to 500/.test(talk)], [2, true]);
    }
  });

  it('lists the languages of videos', async () => {
    const listTracks: TranscriptSource['listTracks'] = async (reference) => {
      if (reference === 'private') throw new Refusal('VIDEO_UNAVAILABLE', 'Private.');
      return [
        { language: 'en', name: 'English', kind: 'manual', default: true },
        { language: 'en', name: 'English', kind: 'automatic', default: false },
      ];
    };
    for (const line of ['get one private --list-languages', 'languages one private']) {
      const { code, out } = await run(line, { reader: { listTracks } });
      const rows = 'en\tmanual\tdefault\tEnglish\tone\nen\tautomatic\t\tEnglish\tone\n';
      assert.deepEqual([code, out], [8, rows]);
    }
    const { out } = await run('languages one --json', { reader: { listTracks } });
    assert.deepEqual(JSON.parse(out.split('\n')[0] ?? ''), {
      ...{ video: 'one', language: 'en', name: 'English', kind: 'manual', default: true },
    });
  });

  it('writes the format of the file extension, and refuses another', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'steno-get-'));
    for (const [file, format] of [
      ['b.srt', 'srt'],
      ['c.JSON', 'json'],
      ['d.md', 'markdown'],
      ['{id}.vtt', 'vtt'],
      ['e.txt', 'txt'],
    ] as const) {
      const path = join(folder.path, file);
      const { code, out } = await run(['get', 'one', '-o', path], { reader });
      const text = await readFile(out.trim(), 'utf8');
      const expected = format === 'json' ? /^\{"video_id"/ : new RegExp(`^one as ${format}\n$`);
      assert.deepEqual([code, expected.test(text)], [0, true], file);
      const other = format === 'txt' ? 'srt' : 'txt';
      const refused = await run(['get', 'one', '-f', other, '-o', path], { reader });
      assert.equal(refused.code, 2);
      assert.match(refused.talk, new RegExp(`has the format ${format}, .* format is ${other}`));
    }
    const folders = await run(['get', 'one', '-f', 'srt', '-o', join(folder.path, 'all')], { reader });
    assert.match(folders.out, /\.srt\n$/);
  });

  it('accepts both names of the API for Markdown', async () => {
    for (const name of ['markdown', 'md']) {
      const { code, out } = await run(`get one -f ${name}`, { reader });
      assert.deepEqual([code, out], [0, 'one as markdown\n']);
    }
  });

  it('reads links from stdin', async () => {
    const { out } = await run('get -', { reader, stdin: 'one\n\ntwo\n' });
    assert.equal(out, 'one as txt\ntwo as txt\n');
  });

  it('prints the object of the API as JSON', async () => {
    const { out } = await run('get one --json', { reader });
    const printed = JSON.parse(out);
    assert.deepEqual(printed.segments, [{ text: 'Hello', start: 0.5, duration: 0.75 }]);
    assert.equal(printed.segment_count, 1);
  });

  it('ends with "partial" when some fail, and with the reason when all do', async () => {
    const some = await run('get one private', { reader });
    assert.deepEqual([some.code, some.out], [8, 'one as txt\n']);
    assert.match(some.talk, /^private: The video is private\.\n$/);
    assert.equal((await run('get private', { reader })).code, 5);
  });

  it('lists the available languages if the requested one is missing', async () => {
    const { code, talk } = await run('get one -l fr', {
      reader: {
        readTranscript: async () => {
          const details = { requested: 'fr', available: ['en', 'ja'] };
          throw new Refusal('LANGUAGE_NOT_AVAILABLE', 'Not in this language.', details);
        },
      },
    });
    assert.deepEqual([code, talk], [5, 'one: Not in this language. Available: en, ja.\n']);
    const none = await run('get one', {
      reader: {
        readTranscript: async () => {
          throw new Refusal('TRANSCRIPT_NOT_AVAILABLE', 'No captions.', { available: [] });
        },
      },
    });
    assert.equal(none.talk, 'one: No captions.\n');
  });

  it('charges the given account', async () => {
    const { out } = await run('get one --account acc_1', {
      commands: {
        readTranscript: async ({ accountId }) => ({
          transcript,
          text: `charged to ${accountId}`,
          ...{ creditsCharged: 1, eventId: 'evt_1', isCacheHit: true, available: [] },
        }),
      },
    });
    assert.equal(out, 'charged to acc_1\n');
  });
});

describe('steno serve', () => {
  it('receives its role', async () => {
    const { out } = await run('serve --help');
    assert.match(out, /API and worker, or only the ROLE that is set/);
  });
});

describe('an operator', () => {
  it('is recorded in the ledger by number, not by name', async () => {
    const actors: unknown[] = [];
    await run('account plan --account acc_1 --plan pro', {
      commands: { assignPlan: async ({ actor }) => void actors.push(actor) },
    });
    assert.deepEqual(actors, [{ type: 'operator', id: `uid-${process.getuid?.() ?? 'unknown'}` }]);
  });
});

const owned = {
  accountId: 'acc_1',
  ...{ userId: 'usr_1', email: 'jo@b.example', name: null, registeredAt: new Date(0) },
  ...{ mailboxProvedAt: null, suspendedAt: null },
};
const findAccount = async () => owned;

describe('steno account show', () => {
  it('shows credits without a limit as such, not as none', async () => {
    const plan = planOf('enterprise');
    const credits = creditStatus(plan.key, 0, { isBillingConfigured: false });
    const state = { isProvisional: false, keysActive: 1, webhooksActive: 0 };
    const overview = async () => ({ plan, credits, ...state });
    const of = { commands: { findAccount, openSessions: async () => [] }, actions: { overview } };
    assert.match((await run('account show --account acc_1', of)).out, /^credits_remaining +unlimited$/m);
    const shown = JSON.parse((await run('account show --account acc_1 --json', of)).out);
    assert.deepEqual([shown.credits_remaining, shown.unlimited], [0, true]);
  });
});

describe('steno account settings', () => {
  it('changes what its options name, and shows all of it', async () => {
    const chosen: unknown[] = [];
    const chooseRequestDefaults = async (accountId: string, given: object) => {
      chosen.push([accountId, given]);
      return { keepByDefault: true, askAboveCredits: null };
    };
    const commands = { findAccount, chooseRequestDefaults };
    for (const option of ['--ask-above-credits 20', '--ask-above-credits none', '--keep-by-default true']) {
      const { out } = await run(`account settings --account acc_1 ${option} --json`, { commands });
      assert.deepEqual(JSON.parse(out), { account_id: 'acc_1', keep_by_default: true, ask_above_credits: null });
    }
    assert.deepEqual(chosen, [
      ['acc_1', { askAboveCredits: 20 }],
      ['acc_1', { askAboveCredits: null }],
      ['acc_1', { keepByDefault: true }],
    ]);
  });

  it('refuses what the API refuses, in the same words', async () => {
    for (const [wrong, told] of [
      ['--ask-above-credits -1', 'It must be at least 0.'],
      ['--ask-above-credits 0.5', 'It must be a whole number.'],
      ['--ask-above-credits 2000000000', 'It must be at most 1000000000.'],
      ['--ask-above-credits some', 'It must be a number.'],
      ['--keep-by-default maybe', 'It must be true or false.'],
      ['--keep-by-default none', 'It must be true or false.'],
    ] as const) {
      const { code, talk, disposed } = await run(`account settings --account acc_1 ${wrong}`);
      assert.deepEqual([code, disposed], [2, 0], wrong);
      assert.ok(talk.includes(told), talk);
    }
  });

  it('changes nothing without one', async () => {
    const requestDefaults = async () => ({ keepByDefault: false, askAboveCredits: 7 });
    const { out } = await run('account settings --account acc_1', { commands: { findAccount, requestDefaults } });
    assert.match(out, /ask_above_credits +7/);
  });
});

describe('every command', () => {
  it('ends with a code that docs/cli.md explains', () => {
    const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (\d+) \| \w/gm)].map(([, code]) => Number(code));
    assert.deepEqual(rows, Object.values(exit));
  });

  it('works without a server where docs/cli.md says so', async () => {
    const { out } = await run('completion bash');
    const local = [...out.matchAll(/^ {4}'([^']+)'\) words='[^']*' flags='([^']*)'/gm)].flatMap(([, verb, flags]) =>
      flags?.split(' ').includes('--local') ? [verb] : [],
    );
    const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
    const [, sentence = ''] = /^- (`get`.*) also work without a server/m.exec(page) ?? [];
    assert.deepEqual([...sentence.matchAll(/`([^`]+)`/g)].map(([, verb]) => verb).toSorted(), local.toSorted());
  });

  it('explains the options of all verbs, and accepts them anywhere', async () => {
    const { out } = await run('jobs watch --help');
    assert.match(out, /Global Options:[\s\S]*--quiet[\s\S]*--no-color/);
    assert.equal((await run('get one --quiet --no-color', { reader: transcripts })).code, 0);
  });

  for (const [refusal, expected] of [
    ['INVALID_REQUEST', 2],
    ['UNAUTHENTICATED', 4],
    ['NOT_FOUND', 5],
    ['INSUFFICIENT_CREDITS', 6],
    ['IDEMPOTENCY_KEY_REUSED', 2],
    ['PLATFORM_RATE_LIMITED', 7],
    ['PLATFORM_TIMEOUT', 9],
  ] as const satisfies readonly [RefusalCode, number][]) {
    it(`ends with ${expected} when the service refuses with ${refusal}`, async () => {
      const { code, out, talk, disposed } = await run('grant --account acc_1 --credits 5', {
        commands: {
          grantCredits: async () => {
            throw new Refusal(refusal, 'No.');
          },
        },
      });
      assert.deepEqual([code, out, talk, disposed], [expected, '', 'steno: No.\n', 1]);
    });
  }

  it('ends with 9 when the database cannot be reached, whatever wraps that', async () => {
    const away = new Error('the database is away');
    const { code, talk } = await run('verify', {
      actions: {
        verify: async () => {
          throw new Error('reading the books', { cause: away });
        },
      },
      terminal: { isUnavailable: (error) => error === away },
    });
    assert.deepEqual([code, talk], [9, 'steno: reading the books: the database is away\n']);
  });

  it('ends with 130 at Ctrl-C, after it closed what it opened', async () => {
    const pressed = new AbortController();
    const { code, out, disposed } = await run('ledger export --account acc_1', {
      terminal: { signal: pressed.signal },
      actions: {
        exportLedger: async function* () {
          yield entry;
          pressed.abort();
          yield entry;
        },
      },
    });
    assert.deepEqual([code, out.trim().split('\n').length, disposed], [130, 1, 1]);
  });

  it('says what went wrong and why on one line', async () => {
    const { code, talk } = await run('migrate', {
      terminal: {
        migrate: async () => {
          throw new Error('reading the migrations', { cause: new Error('no such\nfolder') });
        },
      },
    });
    assert.deepEqual([code, talk], [1, 'steno: reading the migrations: no such; folder\n']);
  });

  it('adopts a secret for the database once each loss is accepted, and says so', async () => {
    const asked: (readonly Loss[])[] = [];
    const adoptSecret = async (accepted: readonly Loss[]) => {
      asked.push(accepted);
      return {
        isDone: accepted.includes('passwords'),
        accounts: 2,
        displaced: ['acc_2'],
        losses: [{ loss: 'passwords', count: 2 }] as const,
        isMailing: false,
      };
    };
    const refused = await run('secret adopt', { terminal: { adoptSecret } });
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(refused.talk, /^lost: passwords \(2 accounts\): .*each owner sets a new one by a link/);
    assert.match(refused.talk, /nothing was changed.*adopt --accept-loss passwords$/m);
    const accepted = 'secret adopt --accept-loss passwords,answers';
    const { code, talk } = await run(accepted, { terminal: { adoptSecret } });
    assert.deepEqual([code, asked], [0, [[], ['passwords', 'answers']]]);
    assert.match(talk, /now accepts only this SECRET_KEY\nreindexed: 2 mailboxes.*\nacc_2 has .*\nno mail is sent/);
    const other = await run('secret adopt --accept-loss mail', { terminal: { adoptSecret } });
    assert.equal(other.code, 2);
  });

  it('refuses arguments that it does not know', async () => {
    assert.equal((await run('migrate now')).code, 2);
    assert.equal((await run('account')).code, 2);
  });

  it('that starts the server names its role, or none', async () => {
    const roles: (string | null)[] = [];
    const terminal = {
      serve: async (role: string | null) => {
        roles.push(role);
        return 0;
      },
    };
    for (const line of ['serve', 'api', 'worker']) await run(line, { terminal });
    assert.deepEqual(roles, [null, 'api', 'worker']);
  });
});

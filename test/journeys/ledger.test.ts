import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { type EntryJson, jsonIn, refusalIn, type UsageJson } from '#test/support/response-json.ts';
import { call } from '#test/support/run-client.ts';
import { operate } from '#test/support/run-operator.ts';

let app: TestApp;

/** Some of everything that reaches a ledger: charges of one and of many, what is free, what fails, a grant, a refund. */
const used = async (): Promise<TestAccount> => {
  const account = await app.createAccount({ plan: 'pro' });
  const { key, accountId } = account;
  const first = await app.get(`/v1/transcripts/${samples.prose}`, { key });
  await app.get(`/v1/transcripts/${samples.prose}/raw`, { key });
  await app.get(`/v1/transcripts/${samples.prose}/languages`, { key });
  await app.get(`/v1/transcripts/${samples.private}`, { key });
  await app.post('/v1/transcripts', { ids: [samples.lyrics, samples.regional] }, { key });
  const granted = await operate(
    app.environment,
    ...['grant', '--account', accountId, '--credits', '25', '--id', 'welcome'],
  );
  assert.equal(granted.code, 0, granted.stderr);
  await app.core.commands.refundCharge(
    {
      accountId,
      actor: { type: 'operator', id: 'a-test' },
      channel: 'cli',
      requestId: 'a-refund',
      deduplicationKey: 'a-refund',
      isRepeatable: true,
      capCredits: null,
      traceparent: null,
      signal: new AbortController().signal,
    },
    {
      refundId: 'a-refund',
      chargeId: first.headers.get('X-Credits-Event') ?? '',
      amount: 1,
      why: 'the captions were bad',
    },
  );
  return account;
};

type ExportedEntry = Omit<EntryJson, 'id'> & { readonly event_id: string };

const exported = async (accountId: string, wanted = 0): Promise<ExportedEntry[]> => {
  const { code, stdout, stderr } = await operate(app.environment, ...['ledger', 'export', '--account', accountId]);
  assert.equal(code, wanted, stderr);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
};

/** RFC 8785 for what JSON.parse returns: members sorted by UTF-16 code units, no blanks. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`;
};

/** The rule of docs/decisions/0013, written from its text. Returns what is wrong, by event id. */
const faultsIn = (entries: readonly ExportedEntry[]): string[] => {
  let before = '0'.repeat(64);
  const faults: string[] = [];
  for (const entry of entries) {
    const { schema_version, type, stream, version, data, meta } = entry;
    const body = canonical({ id: entry.event_id, type, schema_version, stream, version, data, meta });
    const hash = createHash('sha256').update(entry.prev_hash).update(body, 'utf8').digest('hex');
    if (entry.prev_hash !== before || entry.hash !== hash) faults.push(entry.event_id);
    before = entry.hash;
  }
  return faults;
};

describe('the ledger, over HTTP and on the command line', () => {
  before(async () => {
    app = await startTestApp();
  });
  after(() => app[Symbol.asyncDispose]());

  describe('the ledger of an account', () => {
    it('leads from a response to its entry by the request, and by the event that the response names', async () => {
      const { key, accountId } = await app.createAccount();
      const answer = await app.get(`/v1/transcripts/${samples.regional}`, {
        key,
        headers: { 'X-Request-ID': 'my-own-request' },
      });
      assert.equal(answer.headers.get('X-Request-ID'), 'my-own-request');
      const eventId = answer.headers.get('X-Credits-Event');
      const page = await jsonIn<{ entries: EntryJson[]; next_before: string | null }>(
        await app.get('/v1/ledger?request_id=my-own-request', { key }),
      );
      assert.equal(page.next_before, null);
      const [entry] = page.entries;
      assert.deepEqual([page.entries.length, entry?.id], [1, eventId]);
      assert.equal(entry?.type, 'CreditsCharged');
      assert.equal(entry?.data['amount'], 1);
      assert.equal(entry?.data['accountId'], accountId);
      assert.equal(entry?.data['videoId'], samples.regional);
      assert.equal(entry?.meta['channel'], 'rest');
      assert.deepEqual(await jsonIn(await app.get(`/v1/ledger/${eventId}`, { key })), entry);
    });

    it('proves for a free response too, by its event, that nothing was charged', async () => {
      const { key } = await app.createAccount();
      const languages = await app.get(`/v1/transcripts/${samples.regional}/languages`, { key });
      const failed = await app.post('/v1/transcripts', { ids: ['no video'] }, { key });
      for (const [answer, operation] of [
        [languages, 'languages'],
        [failed, 'batch'],
      ] as const) {
        assert.equal(answer.headers.get('X-Credits-Charged'), '0');
        const eventId = answer.headers.get('X-Credits-Event');
        const entry = await jsonIn<EntryJson>(await app.get(`/v1/ledger/${eventId}`, { key }));
        assert.deepEqual([entry.type, entry.data['operation']], ['OperationServed', operation]);
      }
    });

    it('is paged from the newest entry to the first, without a gap', async () => {
      const { key, accountId } = await used();
      const seen: EntryJson[] = [];
      let before = '';
      for (;;) {
        const page = await jsonIn<{ entries: EntryJson[]; next_before: string | null }>(
          await app.get(`/v1/ledger?limit=3${before}`, { key }),
        );
        seen.push(...page.entries);
        if (page.next_before === null) break;
        before = `&before=${page.next_before}`;
      }
      assert.deepEqual(
        seen.map(({ id }) => id).reverse(),
        (await exported(accountId)).map(({ event_id }) => event_id),
      );
    });

    it('does not show entries of another account, nor any for an invalid id', async () => {
      const [one, other] = [await app.createAccount(), await app.createAccount()];
      const answer = await app.get(`/v1/transcripts/${samples.regional}`, { key: one.key });
      for (const id of [answer.headers.get('X-Credits-Event'), 'evt_1', 'x%00']) {
        const read = await app.get(`/v1/ledger/${id}`, { key: other.key });
        assert.deepEqual(await refusalIn(read), [404, 'NOT_FOUND', '0']);
      }
    });
  });

  describe('steno ledger export', () => {
    it('contains entries that prove themselves offline, equal to those of the API', async () => {
      const { accountId, key } = await used();
      const entries = await exported(accountId);
      assert.deepEqual(
        entries.map(({ type }) => type),
        [
          'BookOpened',
          'CreditsGranted',
          'CreditsCharged',
          'CreditsCharged',
          'OperationServed',
          'OperationFailed',
          'CreditsCharged',
          'CreditsCharged',
          'CreditsGranted',
          'ChargeRefunded',
        ],
      );
      assert.deepEqual(faultsIn(entries), []);
      for (const { event_id, ...shown } of entries) {
        const entry = await jsonIn<EntryJson>(await app.get(`/v1/ledger/${event_id}`, { key }));
        assert.deepEqual(entry, { id: event_id, ...shown });
      }
    });

    it('reveals every change of an entry to anyone who has the file', async () => {
      const { accountId } = await used();
      const entries = await exported(accountId);
      const changed = entries.map((entry, n) => (n === 3 ? { ...entry, data: { ...entry.data, amount: 2 } } : entry));
      assert.deepEqual(faultsIn(changed), [entries[3]?.event_id]);
      assert.deepEqual(faultsIn(entries.toSpliced(4, 1)), [entries[5]?.event_id]);
    });
  });

  describe('steno verify', () => {
    it('finds no problem in intact books', async () => {
      const { accountId } = await used();
      const { code, stdout } = await operate(app.environment, ...['verify', '--account', accountId, '--json']);
      assert.deepEqual([code, JSON.parse(stdout)], [0, { ok: true, streams: 1, events: 10, problems: [] }]);
    });

    it('finds one changed byte that was planted past the append-only trigger, and says where', async () => {
      const { accountId } = await used();
      const [, , target] = await exported(accountId);
      assert.ok(target);
      await using _ = await tampered(
        `UPDATE es_event SET data = jsonb_set(data, '{videoId}', '"lighthouse2"') WHERE event_id = $1`,
        target.event_id,
      );
      const { code, stdout } = await operate(app.environment, ...['verify', '--account', accountId, '--json']);
      assert.equal(code, 1);
      assert.deepEqual(JSON.parse(stdout), {
        ok: false,
        streams: 1,
        events: 10,
        problems: [
          {
            stream: target.stream,
            position: target.position,
            message: `event ${target.event_id} (version 3) was changed after it was stored`,
          },
        ],
      });
      assert.deepEqual(faultsIn(await exported(accountId, 1)), [target.event_id]);
    });

    it('finds an amount that was changed in the balance and the read models too, and advises no rebuild', async () => {
      const { accountId, key } = await used();
      const [, , target] = await exported(accountId);
      // The read models hold what was stored first: usage is answered when it has everything.
      assert.equal((await app.get('/v1/usage', { key })).status, 200);
      await using _ = await tampered(
        `UPDATE es_event SET data = jsonb_set(data, '{amount}', '4') WHERE event_id = $1`,
        target?.event_id ?? '',
      );
      const { code, stdout } = await operate(app.environment, 'verify', '--json');
      assert.equal(code, 1);
      const { problems } = JSON.parse(stdout) as { problems: { position: string | null; message: string }[] };
      assert.equal(problems[0]?.position, target?.position);
      assert.ok(problems.some(({ position }) => position === null));
      const advice = problems.filter(({ message }) => message.includes('rebuild'));
      assert.notDeepEqual(advice, []);
      for (const { message } of advice) {
        assert.match(message, /: do not rebuild it, restore the events first/);
      }
    });

    it('stops every command that computes with the ledger at the entry that was changed', async () => {
      const { accountId, key } = await used();
      const entries = await exported(accountId);
      const charge = entries[2]?.event_id ?? '';
      const account = ['--account', accountId];
      const commands = [
        ['replay', ...account, '--from', '2020-01-01', '--to', '2100-01-01'],
        ['verify', ...account],
        ['account', 'show', ...account],
        ['account', 'plan', ...account, '--plan', 'scale'],
        ['grant', ...account, '--credits', '1'],
        ['refund', ...account, '--charge', charge, '--credits', '1'],
        ['ledger', 'list', '--json'],
        ['ledger', 'get', charge],
      ];
      await using _ = await tampered(
        `UPDATE es_event SET data = jsonb_set(data, '{requestId}', '"req_other"') WHERE event_id = $1`,
        charge,
      );
      const client = { STENO_URL: app.url, STENO_API_KEY: key };
      for (const command of commands) {
        const words = command.join(' ');
        const ended = /^ledger (list|get)/.test(words) ? call(client, command) : operate(app.environment, ...command);
        const { code, stdout, stderr } = await ended;
        assert.equal(code, 1, `${words}: ${stderr}`);
        assert.match(stdout + stderr, new RegExp(`event ${charge} .*was changed after`), words);
        assert.doesNotMatch(stdout, /credits|closing|gave|granted/, words);
      }
      // What proves the change is shown all the same.
      const whole = await operate(app.environment, 'ledger', 'export', ...account);
      assert.deepEqual([whole.code, whole.stdout.trimEnd().split('\n').length], [1, entries.length]);
      assert.match(whole.stderr, new RegExp(`event ${charge} .*was changed after`));
    });

    it('does not have to cover UPDATE and DELETE by the program, which the log refuses', async () => {
      const client = await connected();
      await assert.rejects(client.query('UPDATE es_event SET type = type'), /append-only/);
      await assert.rejects(client.query('DELETE FROM es_event'), /append-only/);
      await client.end();
    });
  });

  /** Changes the log as only its owner can; disposing it puts the event back, for the tests that follow. */
  const tampered = async (sql: string, eventId: string): Promise<AsyncDisposable> => {
    const client = await connected();
    const { rows } = await client.query<{ data: unknown }>('SELECT data FROM es_event WHERE event_id = $1', [eventId]);
    const past = async (change: () => Promise<unknown>) => {
      await client.query('BEGIN; ALTER TABLE es_event DISABLE TRIGGER es_event_append_only');
      await change();
      await client.query('ALTER TABLE es_event ENABLE ALWAYS TRIGGER es_event_append_only; COMMIT');
    };
    await past(() => client.query(sql, [eventId]));
    return {
      [Symbol.asyncDispose]: async () => {
        await past(() => client.query('UPDATE es_event SET data = $2 WHERE event_id = $1', [eventId, rows[0]?.data]));
        await client.end();
      },
    };
  };

  const connected = async (): Promise<Client> => {
    const client = new Client({ connectionString: app.databaseUrl });
    await client.connect();
    return client;
  };

  describe('steno replay', () => {
    it('computes the bill from events alone, equal to the usage that the account is shown', async () => {
      const { accountId, key } = await used();
      const usage = await jsonIn<UsageJson>(await app.get('/v1/usage?days=366', { key }));
      const { code, stdout, stderr } = await operate(
        app.environment,
        ...['replay', '--account', accountId, '--from', '2026-01-01', '--to', '2100-01-01', '--json'],
      );
      assert.equal(code, 0, stderr);
      const { account_id, opening, granted, charged, refunded, expired, reserved, closing, lines } = JSON.parse(stdout);
      assert.equal(account_id, accountId);
      assert.deepEqual([opening, granted, charged, refunded, expired, reserved], [0, 10_025, 4, 1, 0, 0]);
      assert.equal(closing, usage.credits_remaining);
      assert.equal(charged - refunded, usage.credits_used);
      const paid = usage.by_kind.filter(({ kind }) => kind !== 'languages');
      assert.deepEqual(
        lines.map((line: { operation: string; credits: number }) => [line.operation, line.credits]),
        paid.map(({ kind, credits }) => [kind, credits]),
      );
    });

    it('knows no account that has no books', async () => {
      const { code, stderr } = await operate(
        app.environment,
        ...['replay', '--account', 'acc_nobody', '--from', '2026-11-01', '--to', '2026-12-01'],
      );
      assert.deepEqual([code, stderr], [5, 'steno: The account acc_nobody has no books.\n']);
    });
  });

  describe('steno refund', () => {
    const refund = (accountId: string, charge: string, credits: number, ...more: string[]) =>
      operate(
        app.environment,
        ...['refund', '--account', accountId, '--charge', charge, '--credits', String(credits)],
        ...more,
      );
    const creditsOf = async (key: string) => {
      const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
      return [usage.credits_used, usage.credits_remaining];
    };

    it('refunds a charge in the ledger of its owner, and never more than the charge', async () => {
      const { accountId, key } = await app.createAccount({ plan: 'pro' });
      const paid = await app.get(`/v1/transcripts/${samples.prose}`, { key });
      const charge = paid.headers.get('X-Credits-Event') ?? '';
      assert.deepEqual(await creditsOf(key), [1, 9_999]);

      const given = await refund(accountId, charge, 1, '--why', 'the captions were bad', '--json');
      assert.equal(given.code, 0, given.stderr);
      const { event_id: eventId, refund_id: _, ...told } = JSON.parse(given.stdout);
      const about = { account_id: accountId, charge_id: charge };
      assert.deepEqual(told, { ...about, credits: 1, repeated: false });
      assert.deepEqual(await creditsOf(key), [0, 10_000]);

      const entry = await jsonIn<EntryJson>(await app.get(`/v1/ledger/${eventId}`, { key }));
      assert.deepEqual([entry.type, entry.data['amount']], ['ChargeRefunded', 1]);
      const { entries } = await jsonIn<{ entries: EntryJson[] }>(await app.get('/v1/ledger', { key }));
      assert.deepEqual(entries.map(({ id }) => id).slice(0, 2), [eventId, charge]);

      const again = await refund(accountId, charge, 1);
      assert.deepEqual([again.code, again.stderr], [2, 'steno: 0 credits of this charge can still be refunded.\n']);
      assert.deepEqual(await creditsOf(key), [0, 10_000]);
      const verified = await operate(app.environment, 'verify', '--account', accountId, '--json');
      assert.equal(verified.code, 0, verified.stdout);
    });

    it('refunds once under one id, and says that a repeat is one', async () => {
      const { accountId, key } = await app.createAccount({ plan: 'pro' });
      const paid = await app.get('/v1/channels/@bigharbour?limit=300', { key });
      const price = Number(paid.headers.get('X-Credits-Charged'));
      const charge = paid.headers.get('X-Credits-Event') ?? '';
      assert.ok(price >= 2, `${paid.status} ${price}`);
      const [first, again] = [
        await refund(accountId, charge, 1, '--id', 'ticket 7', '--json'),
        await refund(accountId, charge, 1, '--id', 'ticket 7', '--json'),
      ].map(({ code, stdout, stderr }) => {
        assert.equal(code, 0, stderr);
        return JSON.parse(stdout);
      });
      assert.deepEqual([first.repeated, again.repeated], [false, true]);
      assert.equal(again.event_id, first.event_id);
      assert.deepEqual(await creditsOf(key), [price - 1, 10_000 - price + 1]);
      const other = await refund(accountId, charge, 2, '--id', 'ticket 7');
      assert.deepEqual(
        [other.code, other.stderr],
        [2, `steno: The id ticket 7 is already used for a refund of 1 for the charge ${charge}: use another id.\n`],
      );
      await refund(accountId, charge, 1, '--id', 'ticket 8');
      assert.deepEqual(await creditsOf(key), [price - 2, 10_000 - price + 2]);
    });

    it('refuses a charge of another account, an unknown one, and an event of another type', async () => {
      const [owner, stranger] = [await app.createAccount(), await app.createAccount()];
      const paid = await app.get(`/v1/transcripts/${samples.prose}`, { key: owner.key });
      const charge = paid.headers.get('X-Credits-Event') ?? '';
      const request = paid.headers.get('X-Request-ID') ?? '';
      for (const [accountId, id] of [
        [stranger.accountId, charge],
        [owner.accountId, '00000000-0000-5000-8000-000000000007'],
        [owner.accountId, request],
        [owner.accountId, 'no id at all'],
      ] as const) {
        const { code, stderr } = await refund(accountId, id, 1);
        assert.deepEqual([code, stderr], [5, 'steno: This account has no charge with this id.\n']);
      }
      assert.deepEqual(await creditsOf(owner.key), [1, 9_999]);
    });
  });
});

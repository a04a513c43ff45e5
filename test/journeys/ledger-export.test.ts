import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { CloudEvent } from 'cloudevents';
import { parquetReadObjects } from 'hyparquet';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { type EntryJson, jsonIn, refusalIn } from '#test/support/response-json.ts';
import { operate } from '#test/support/run-operator.ts';

type Page = { events: { id: string; type: string; cursor: string; data: EntryJson }[]; next_cursor: string | null };

const program = new URL('../../docs/verify-ledger.mjs', import.meta.url).pathname;
const ndjson = { Accept: 'application/x-ndjson' };

describe('the ledger for programs', () => {
  let app: TestApp;
  let account: TestAccount;
  let entries: EntryJson[];
  before(async () => {
    app = await startTestApp();
    account = await app.createAccount();
    for (const id of [samples.prose, samples.regional]) await app.get(`/v1/transcripts/${id}`, account);
    entries = (await jsonIn<{ entries: EntryJson[] }>(await app.get('/v1/ledger', account))).entries.toReversed();
  });
  after(() => app[Symbol.asyncDispose]());

  describe('its export', () => {
    it('has every entry, oldest first, as lines that prove themselves', async () => {
      const answer = await app.get('/v1/ledger/export', account);
      assert.equal(answer.headers.get('X-Ledger-Entries'), String(entries.length));
      const text = await answer.text();
      const exported = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        exported,
        entries.map(({ id, ...entry }) => ({ event_id: id, ...entry })),
      );
      const { status, stderr } = spawnSync(process.execPath, [program], { input: text, encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
    });

    it('has the same as CSV, and as Parquet with types', async () => {
      const csv = await (await app.get('/v1/ledger/export?format=csv', account)).text();
      const [head, first, ...others] = csv.trimEnd().split('\n');
      assert.equal(
        head,
        'event_id,type,stream,version,position,occurred_at,request_id,schema_version,data,meta,prev_hash,hash',
      );
      assert.equal(first?.startsWith(`${entries[0]?.id},${entries[0]?.type},${entries[0]?.stream},1,`), true);
      assert.equal(others.length, entries.length - 1);

      const answer = await app.get('/v1/ledger/export?format=parquet', account);
      assert.equal(answer.headers.get('Content-Type'), 'application/vnd.apache.parquet');
      const file = await answer.arrayBuffer();
      const rows = await parquetReadObjects({ file, compressors: { ZSTD: (input) => zstdDecompressSync(input) } });
      assert.deepEqual(
        rows.map((row) => [row['event_id'], row['version'], row['occurred_at'], row['data']]),
        entries.map(({ id, version, occurred_at, data }) => [id, BigInt(version), new Date(occurred_at), data]),
      );
    });

    it('refuses other formats and keys', async () => {
      const other = await app.get('/v1/ledger/export?format=xml', account);
      assert.deepEqual(await refusalIn(other), [400, 'INVALID_REQUEST', '0']);
      assert.equal((await app.get('/v1/ledger/export')).status, 401);
    });
  });

  describe('its feed', () => {
    it('returns CloudEvents, and continues from its cursor without a gap', async () => {
      const seen: Page['events'] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await jsonIn(
          await app.get(`/v1/events?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`, account),
        );
        for (const { cursor: place, ...event } of page.events)
          assert.equal(new CloudEvent({ ...event, place }).validate(), true);
        seen.push(...page.events);
        if (page.events.length === 0) assert.equal(page.next_cursor, cursor);
        if (page.events.length === 0) break;
        cursor = page.next_cursor;
      } while (cursor !== null);
      assert.deepEqual(
        seen.map(({ data }) => data),
        entries,
      );
      assert.deepEqual(
        seen.map(({ id, type }) => [id, type]),
        entries.map(({ id, type }) => [id, `dev.steno.ledger.${type}`]),
      );
    });

    it('returns the same of all accounts to operators, from any cursor', async () => {
      const other = await app.createAccount();
      const told = async (...words: string[]): Promise<Page['events']> => {
        const { code, stdout } = await operate(app.environment, 'events', 'tail', '--no-follow', ...words);
        assert.equal(code, 0);
        return stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
      };
      const own = await told('--account', account.accountId);
      assert.deepEqual(
        own.slice(0, entries.length).map(({ data }) => data),
        entries,
      );
      const all = await told();
      assert.ok(all.length > own.length && all.some(({ data }) => data.stream.includes(other.accountId)));
      const at = all[2]?.cursor ?? '';
      assert.deepEqual((await told('--cursor', at)).slice(0, all.length - 3), all.slice(3));
      const wrong = await operate(app.environment, 'events', 'tail', '--cursor', 'x');
      assert.equal(wrong.code, 2);
    });

    it('returns the same as one line each', async () => {
      const answer = await app.get('/v1/events', { ...account, headers: ndjson });
      assert.equal(answer.headers.get('Content-Type'), 'application/x-ndjson');
      const lines = (await answer.text()).trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).id),
        entries.map(({ id }) => id),
      );
    });

    it('sends new events after the last id', async () => {
      const last = entries.at(-1)?.position ?? '';
      const stop = new AbortController();
      const headers = { Accept: 'text/event-stream', 'Last-Event-ID': last };
      const answer = await app.get('/v1/events', { ...account, headers, signal: stop.signal });
      assert.match(answer.headers.get('Content-Type') ?? '', /^text\/event-stream/);
      await app.get(`/v1/transcripts/${samples.lyrics}`, account);
      let text = '';
      for await (const piece of answer.body ?? []) {
        text += Buffer.from(piece).toString();
        if (text.includes('data: ')) break;
      }
      stop.abort();
      const [, id = '', data = ''] = /^id: (\d+)\nevent: ledger\ndata: (.*)$/m.exec(text) ?? [];
      assert.deepEqual([JSON.parse(data).cursor, JSON.parse(data).type], [id, 'dev.steno.ledger.CreditsCharged']);
    });

    it('refuses a cursor of another account, and an invalid one', async () => {
      const other = await app.createAccount();
      for (const [path, headers] of [
        [`/v1/events?cursor=${entries[0]?.position}`, {}],
        [`/v1/events?cursor=${entries[0]?.position}`, { Accept: 'text/event-stream' }],
        ['/v1/events?cursor=999999999999999999', {}],
        ['/v1/events?cursor=x', {}],
        ['/v1/events?limit=1001', {}],
        ['/v1/events?limit=0', {}],
      ] as const) {
        const refused = await app.get(path, { key: other.key, headers });
        assert.deepEqual(await refusalIn(refused), [400, 'INVALID_REQUEST', '0'], path);
      }
    });
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it, mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { logSome } from '#src/app/open-transparency-log.ts';
import type { Endpoint } from '#src/contract/endpoint.ts';
import { operations } from '#src/contract/operations.ts';
import { membersOf } from '#src/edges/cli/endpoint-request.ts';
import { endpoints } from '#src/edges/http/routes.ts';
import { startTestApp, type TestAccount, type TestApp } from '#test/support/app.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { jsonIn } from '#test/support/response-json.ts';
import { call, screen } from '#test/support/run-client.ts';

const video = 'lighthouse1';
const channel = '@harbournotes';

/** A caller with a login in a folder of their own, beside one server for all tests of this file. */
describe('a caller at the command line', () => {
  let app: TestApp;
  let account: TestAccount;
  let folder = '';
  const environment = () => ({ XDG_CONFIG_HOME: folder });
  const steno = async (line: string | readonly string[], given: Parameters<typeof call>[2] = {}) => {
    const words = typeof line === 'string' ? line.split(' ') : line;
    const from = asked.length;
    const result = await call(environment(), words, given);
    requests.set(words, asked.slice(from));
    return result;
  };
  const login = () => steno(['login', app.url], { stdin: `${account.key}\n` });
  const config = () => join(folder, 'steno', 'config.json');

  /** Every request of the verbs, as method and path. */
  const asked: string[] = [];
  /** Those of each command line. */
  const requests = new Map<readonly string[], readonly string[]>();
  const isTo = ({ method, path }: Endpoint, request: string): boolean =>
    new RegExp(`^${method} ${path.replace(/:\w+/g, '[^/]+')}$`).test(request);

  before(async () => {
    const { fetch } = globalThis;
    mock.method(globalThis, 'fetch', (...given: Parameters<typeof fetch>) => {
      const [address, { method = 'GET' } = {}] = given;
      asked.push(`${method} ${new URL(String(address)).pathname}`);
      return fetch(...given);
    });
    app = await startTestApp({ environment: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
    account = await app.createAccount({ plan: 'pro' });
    folder = await mkdtemp(join(tmpdir(), 'steno-config-'));
    assert.equal((await login()).code, 0);
  });
  after(async () => {
    mock.reset();
    await app[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('logs in with a key that the server knows, kept for its user alone', async () => {
    const { stdout, stderr } = await login();
    assert.equal(stdout, '');
    assert.match(stderr, /^Logged in at http.*: plan pro, \d+ credits left\. The key is in /);
    assert.equal((await stat(config())).mode & 0o777, 0o600);
    assert.equal((await stat(join(folder, 'steno'))).mode & 0o777, 0o700);
    const before = await readFile(config(), 'utf8');
    const refused = await steno(['login', app.url, '--key-stdin'], { stdin: 'stn_live_wrong' });
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /refuses the API key: steno login/);
    assert.equal((await steno(['login', 'ftp://a.example'])).code, 2);
    assert.equal((await steno(['login', 'https://user:secret@a.example'])).code, 2);
    assert.equal((await steno(['login', app.url])).code, 2);
    assert.equal(await readFile(config(), 'utf8'), before);
  });

  it('is prompted for address and key on a terminal, without echoing the key', async () => {
    const input = screen();
    const stderr = screen();
    let talk = '';
    const typed = [
      { at: 'URL of the server: ', text: `${app.url}\r` },
      { at: 'API key: ', text: `${account.key}\r` },
    ];
    stderr.on('data', (chunk) => {
      talk += chunk;
      const [next] = typed;
      if (next === undefined || !talk.includes(next.at)) return;
      typed.shift();
      setImmediate(() => input.write(next.text));
    });
    const { code } = await steno(['login'], { input, stderr });
    assert.equal(code, 0);
    assert.match(talk, /Logged in at/);
    assert.ok(!talk.includes(account.key));
  });

  it('sends the key of the login to no other server', async () => {
    const elsewhere = await steno('usage --url http://127.0.0.1:9');
    assert.equal(elsewhere.code, 4);
    assert.match(elsewhere.stderr, /There is no API key for http:\/\/127\.0\.0\.1:9/);
    const named = await call({ ...environment(), STENO_API_KEY: 'wrong' }, ['usage']);
    assert.equal(named.code, 4);
    const none = { STENO_URL: app.url, STENO_API_KEY: account.key };
    assert.equal((await call(none, ['usage'])).code, 0);
    assert.equal((await call({}, ['usage'])).code, 4);
    assert.match((await call({}, ['usage'])).stderr, /needs a server: steno login URL/);
    const typo = await call({ STENO_URL: app.url, STENO_API_KEY: 'ключ' }, ['usage']);
    assert.deepEqual([typo.code, /API key/.test(typo.stderr)], [2, true]);
  });

  it('reads transcripts as the API gives them, and is charged for them', async () => {
    for (const [format, query] of [
      ['txt --timestamps', 'format=txt&timestamps=true'],
      ['srt --clean', 'format=srt&clean=true'],
      ['vtt', 'format=vtt'],
      ['md', 'format=markdown'],
      ['json --timestamps', 'format=json&timestamps=true'],
    ]) {
      const { code, stdout } = await steno(`get ${video} -f ${format}`);
      const answer = await app.get(`/v1/transcripts/${video}?${query}`, { key: account.key });
      assert.equal(code, 0);
      assert.equal(stdout.trimEnd(), (await answer.text()).trimEnd(), format);
    }
    const translated = await steno('get languages-6 -l fr --auto-translate --json');
    assert.equal(JSON.parse(translated.stdout).source, 'translated');
    assert.equal((await steno('get no-captions --asr')).code, 5);
    const { stderr } = await steno(`get ${video}`, { stderr: screen() });
    assert.match(stderr, /^from http.*--local reads without a server\n1 credit charged\n$/);
    assert.equal((await steno(['--quiet', 'get', video], { stderr: screen() })).stderr, '');
  });

  it('writes a channel to files, in the first language that each has, and continues later', async () => {
    const archive = join(folder, 'archive');
    const line = ['get', channel, '--limit', '3', '-l', 'ja,en', '-f', 'srt', '--archive', archive];
    const template = join(folder, 'subtitles/{language}/{id}.{ext}');
    const first = await steno([...line, '-o', template]);
    assert.equal(first.code, 0, first.stderr);
    const paths = first.stdout
      .trim()
      .split('\n')
      .map((path) => path.slice(folder.length));
    assert.deepEqual(paths, [
      '/subtitles/en/lighthouse1.srt',
      '/subtitles/en-GB/teatime-gb1.srt',
      '/subtitles/ja/languages-6.srt',
    ]);
    assert.match(first.stderr, /^(videos: .*\n)*$/);
    const again = await steno([...line, '-o', template], { stderr: screen() });
    assert.deepEqual([again.code, again.stdout], [0, '']);
    assert.match(again.stderr, /^nothing is left to get$/m);
  });

  it('stops a list where everything else would fail too', async () => {
    const { key } = await app.createAccount({ credits: 2 });
    const poor = { STENO_URL: app.url, STENO_API_KEY: key };
    const words = [video, 'languages-6', 'teatime-gb1', 'edge-cases1'];
    const { code, stderr } = await call(poor, ['get', ...words]);
    assert.equal(code, 6);
    assert.match(stderr, /^steno: .*INSUFFICIENT_CREDITS, .*\n$/);
  });

  it('prints languages and lists as tables on a terminal, and as lines of JSON', async () => {
    const table = await steno('languages languages-6', { stdout: screen(), stderr: screen() });
    assert.match(table.stderr, /videos \[#{24}\] 1 of 1/);
    const [header, ...rows] = table.stdout.trim().split('\n');
    assert.match(header ?? '', /LANGUAGE {2}KIND {7}DEFAULT {2}NAME/);
    assert.ok(header?.startsWith('\x1b[1m'));
    assert.ok(rows.some((row) => /^ja {8}manual/.test(row)));
    const plain = await steno('--no-color channels @harbournotes --limit 2', { stdout: screen() });
    assert.match(plain.stdout, /^VIDEO {8}SECONDS {2}STATE {3}TITLE\n/);
    const { stdout, stderr } = await steno('channels @harbournotes --limit 2 --json');
    const ids = stdout
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each).video_id);
    assert.deepEqual(ids, ['lighthouse1', 'teatime-gb1']);
    assert.match(stderr, /has more videos than these 2/);
    assert.equal(JSON.parse((await steno(`raw ${video}`)).stdout).video_id, video);
    assert.equal((await steno('playlists PLnone')).code, 5);
  });

  const typed: Readonly<Record<string, readonly string[]>> = {
    ask: ['How much does the whole lens weigh?'],
    search: ['lamp', '--limit', '2'],
    translate: ['de', '--mode', 'original'],
    summarize: ['--length', 'short'],
    repurpose: ['--format', 'x_thread'],
  };
  const shown: Readonly<Record<string, RegExp>> = {
    ask: /three tonnes[\s\S]*\n\n\d\d:\d\d {2}/,
    search: /^\d\d:\d\d {2}.*\n\d\d:\d\d {2}.*\n$/,
    translate: /^00:\d\d {2}/,
    summarize: /lighthouse/,
    repurpose: /^1\/\d+ /,
    chapters: /^\d\d:\d\d {2}\w/,
    quotes: /^\d\d:\d\d {2}\w/,
    clips: /^\d\d:\d\d-\d\d:\d\d {2}.*: /,
  };

  it('has a verb for every AI operation', async () => {
    for (const { name } of operations) {
      const words = [name, video, ...(typed[name] ?? [])];
      const { code, stdout, stderr } = await steno(words);
      assert.deepEqual([code, stderr], [0, ''], name);
      assert.match(stdout, shown[name] ?? /\w/, name);
      assert.equal(JSON.parse((await steno([...words, '--json'])).stdout).video_id, video);
    }
    assert.match((await steno('ai-status')).stdout, /^ai_enabled {2}false\nmodel {7}-$/m);
    for (const json of [[], ['--json']]) {
      const same = await steno(['translate', video, 'de', ...json]);
      assert.equal(same.code, 3);
      assert.match(same.stderr, /^Warning: Translation is not available now.*\n$/);
      const other = await steno(['summarize', video, '--output-lang', 'de', ...json]);
      assert.equal(other.code, 3);
      assert.match(other.stderr, /^Warning: Nothing is written in de without a model.*\n$/);
    }
    const dear = await steno(`translate ${video} de --dry-run`);
    assert.equal(dear.code, 0);
    assert.match(dear.stderr, /^Warning: .*original captions would be returned/);
    const price = await steno(`clips ${video} --dry-run`);
    assert.equal(price.stdout, 'credits              1\ncredits_if_fallback  1\n');
    const invalid = await steno(['ask', video, ' ']);
    assert.deepEqual([invalid.code, invalid.stdout], [2, '']);
    assert.equal((await steno(`summarize ${video} --length long`)).code, 2);
    assert.equal((await steno(`summarize ${video} --id Schlüssel`)).code, 2);
  });

  it('pays once for a request whose responses were lost, sent again under its --id', async () => {
    let toCut = 4;
    const proxy = createServer((request, response) => {
      const { method, url = '', headers } = request;
      const far = forward(`${app.url}${url}`, { method, headers }, (answer) => {
        if (toCut > 0) {
          toCut -= 1;
          answer.resume().on('end', () => request.socket.destroy());
          return;
        }
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(far);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const payer = await app.createAccount();
    const used = async (): Promise<number> => {
      const answer = await app.get('/v1/usage', { key: payer.key });
      return ((await answer.json()) as { credits_used: number }).credits_used;
    };
    const paying = (words: readonly string[]) => call({ STENO_URL: url, STENO_API_KEY: payer.key }, words);
    try {
      const lost = await paying(['summarize', video, '--id', 'summary-1']);
      assert.equal(lost.code, 9);
      assert.match(lost.stderr, /It may have taken effect: repeat it with --id summary-1/);
      assert.equal((await paying(['summarize', video, '--id', 'summary-1'])).code, 0);
      // On a busy machine usage may be read before it has counted the charge.
      while ((await used()) === 0) await pause(50);
      assert.deepEqual([toCut, await used()], [0, 1]);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it('runs a job, follows it, and reads its results', async () => {
    const then = ['--then', 'summarize', '--then', '{"operation": "search", "query": "lamp"}'];
    const words = ['jobs', 'create', '-', '-l', 'en', ...then, '--include', 'video', '--count-tokens'];
    const made = await steno(words, { stdin: `${video}\nprivate-001\n` });
    const id = made.stdout.trim();
    assert.match(id, /^job_/, made.stderr);
    const watched = await steno(`jobs watch ${id}`);
    assert.equal(watched.code, 8);
    assert.match(watched.stdout, /completed_with_errors: 1 of 2 complete, 1 failed\n$/);
    const results = await steno(`jobs results ${id} --json`);
    const items = results.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const done = items.find(({ status }) => status === 'complete');
    assert.equal(done.transcript.video_id, video);
    assert.deepEqual([done.transcript.video.video_id, typeof done.transcript.token_count], [video, 'number']);
    assert.deepEqual(
      done.operations.map(({ operation }: { operation: string }) => operation),
      ['summarize', 'search'],
    );
    assert.match((await steno(`jobs results ${id}`)).stdout, /private-001\tfailed\t-\t0\tVIDEO_/);
    assert.match((await steno(`jobs retry ${id}`)).stdout, /^status {4}queued$/m);
    assert.equal((await steno(`jobs watch ${id} --json`)).code, 8);
    assert.match((await steno(`jobs get ${id}`)).stdout, /^failed {4}1$/m);
    assert.match((await steno(`jobs cancel ${id}`)).stdout, /completed_with_errors/);
    assert.equal((await steno('jobs list --limit 1')).stdout.split('\t')[0], id);
    assert.equal((await steno('jobs get job_none')).code, 5);
    for (const verb of ['get', 'watch', 'results']) {
      const { code, stderr } = await steno(['jobs', verb, '']);
      assert.deepEqual([code, stderr], [2, 'steno: an argument is empty\n'], verb);
    }
    assert.equal((await steno(`jobs deliveries ${id}`)).stdout, '');
    assert.equal((await steno(`jobs replay ${id} dlv_none`)).code, 5);
    const dry = await steno(`jobs create ${channel} --limit 2 --dry-run`);
    assert.match(dry.stdout, /^kind {12}channel$/m);
    const mixed = await steno(`jobs create three-hours ${channel} --limit 2 --dry-run --json`);
    assert.deepEqual([mixed.code, JSON.parse(mixed.stdout).videos_found], [0, 3]);
    assert.equal((await steno(`jobs create ${video} --then dance`)).code, 2);
  });

  it('manages webhooks', async () => {
    await using receiver = await startReceiver();
    const made = await steno(`webhooks create ${receiver.url} --events job.completed --description none`);
    const id = /^id {6}(whk_\w+)\nsecret {2}whsec_/.exec(made.stdout)?.[1] ?? '';
    assert.match(id, /^whk_/, made.stderr);
    assert.match((await steno('webhooks list')).stdout, new RegExp(`^${id}\tyes\tjob.completed\t`));
    assert.match((await steno(`webhooks get ${id}`)).stdout, /^description {6}none$/m);
    const sent = await steno(`webhooks test ${id}`);
    const again = await steno(`webhooks replay ${id} ${sent.stdout.trim()}`);
    const deliveries = await steno(`webhooks deliveries ${id} --json`);
    const ids = deliveries.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    assert.deepEqual(ids, [again.stdout.trim(), sent.stdout.trim()]);
    const changed = await steno(`webhooks update ${id} --off --description nightly`);
    assert.match(changed.stdout, /^active {11}false\ndisabled_reason {2}owner\ndescription {6}nightly$/m);
    assert.match((await steno(`webhooks update ${id} --description none`)).stdout, /^description {6}-$/m);
    assert.equal((await steno(['webhooks', 'update', id, '--url', ''])).code, 2);
    assert.match((await steno(`webhooks rotate-secret ${id}`)).stdout, /^secret {10}whsec_/);
    for (const words of ['signing-secret', 'signing-secret --rotate']) {
      assert.match((await steno(`webhooks ${words}`)).stdout, /^secret {10}/);
    }
    const moved = await steno(`webhooks update ${id} --on --url https://example.com/moved`);
    assert.match(moved.stdout, /^url {14}https:\/\/example\.com\/moved$[\s\S]*^active {11}true$/m);
    const recovered = await steno(`webhooks recover ${id} --since 2026-01-01T00:00:00+01:00`);
    assert.deepEqual([recovered.code, recovered.stderr], [0, '']);
    assert.equal((await steno(`webhooks delete ${id}`)).stdout, `${id} is deleted\n`);
    assert.equal((await steno(`webhooks get ${id}`)).code, 5);
  });

  it('sees what was used, and the ledger that proves it', async () => {
    assert.match((await steno('usage')).stdout, /^plan {16}pro$[\s\S]*^transcript\t\d+\t\d+$/m);
    const { stdout } = await steno('ledger list --limit 101 --json');
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const one = await steno(`ledger get ${entries[0].id}`);
    assert.deepEqual(JSON.parse(one.stdout), entries[0]);
    const rows = (await steno('ledger list --limit 100')).stdout.trim().split('\n');
    const columns = rows.map((row) => row.split('\t'));
    const { credits_remaining: left } = JSON.parse((await steno('usage --json')).stdout);
    assert.equal(Number(columns[0]?.[3]), left);
    const changes = columns.map(([, , change = '']) => (change === '-' ? 0 : Number(change)));
    const balances = columns.map(([, , , balance]) => Number(balance));
    assert.deepEqual(
      balances.slice(0, -1).map((balance, at) => balance - (balances[at + 1] ?? 0)),
      changes.slice(0, -1),
    );
    assert.ok(columns.some(([, , change]) => /^[+]\d/.test(change ?? '')));
    const exported = (await steno('ledger export')).stdout.trim().split('\n');
    assert.deepEqual(
      exported.map((line) => JSON.parse(line).event_id),
      entries.map(({ id }) => id).toReversed(),
    );
    const events = (await steno('ledger events --limit 2')).stdout.trim().split('\n');
    assert.deepEqual(
      events.map((line) => JSON.parse(line).id),
      exported.slice(0, 2).map((line) => JSON.parse(line).event_id),
    );
    const log = await app.core.transparency.log();
    while (await logSome(log, app.core.log)) {}
    const proof = await steno(`ledger proof ${entries[0].id}`);
    assert.deepEqual(JSON.parse(proof.stdout).entry, entries[0], proof.stderr);
    const { id: selected, request_id: request } = entries.find(({ type }) => type === 'CreditsCharged');
    assert.match(
      (await steno(`ledger list --request-id ${request}`)).stdout,
      new RegExp(`^${selected}\t\\S+\t-1\tC`, 'm'),
    );
    const { occurred_at: then } = entries.at(-1);
    assert.equal((await steno(`ledger list --as-of ${then}`)).stdout.split('\t')[1], then);
    assert.equal(JSON.parse((await steno(`usage --as-of ${then} --days 1 --json`)).stdout).credits_used, 0);
    assert.equal((await steno('usage --as-of 2999-01-01T00:00:00Z')).code, 2);
    const versions = entries.map(({ version }) => Number(version));
    assert.ok(entries.length > 20);
    const [period = ''] = (await steno('statements list')).stdout.split('\t');
    assert.equal(JSON.parse((await steno(`statements get ${period}`)).stdout).period, period);
    assert.match((await steno(`statements get ${period} --format csv`)).stdout, /^[a-z_]+(,[a-z_]+)+\r?\n/);
    assert.equal((await steno(`statements get ${period} --format csv --json`)).code, 2);
    const charge = entries.find(({ type }) => type === 'CreditsCharged');
    assert.match((await steno(`receipts ${charge?.id}`)).stdout, /^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/);
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => b - a),
    );
  });

  it('prints the details of a video, with the chapters of its author', async () => {
    const { stdout } = await steno('video chapters-01');
    assert.match(stdout, /^title +Three pear trees[\s\S]*^00:28 {2}Roots and soil$/m);
    const { stdout: json } = await steno('video chapters-01 --json');
    assert.equal(JSON.parse(json).chapters.length, 4);
    const got = await steno('get chapters-01 -f json --include video --count-tokens');
    const { video, token_count } = JSON.parse(got.stdout);
    assert.deepEqual([video.live_state, token_count], ['none', 140]);
  });

  it('prints chunks, as one object or one per line', async () => {
    const { stdout } = await steno('chunks chapters-01 --max-tokens 50 --overlap 0');
    assert.match(stdout, /^00:00 {2}\d+ tokens {2}https:.*&t=0$/m);
    const lines = (await steno('chunks chapters-01 --by chapters -f ndjson')).stdout.trim().split('\n');
    const { chunks } = JSON.parse((await steno('chunks chapters-01 --by chapters --json')).stdout);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      chunks,
    );
    assert.match(
      (await steno('chunks chapters-01 --max-tokens 50 --overlap 50')).stderr,
      /must be less than max_tokens/,
    );
    assert.equal((await steno('chunks chapters-01 --max-tokens 49')).code, 2);
  });

  it('follows a channel, shows what was found, and ends it', async () => {
    const made = await steno('follows create @marketdays --max-credits-per-period 50 --backfill 1 --kinds videos');
    assert.equal(made.code, 0);
    const id = made.stdout.trim();
    assert.match(id, /^fol_[0-9a-f]{32}$/);
    assert.match((await steno('follows list')).stdout, /^fol_\w+\tactive\t[01]\/50\t.*\tMarket Days$/m);
    assert.match((await steno(`follows videos ${id}`)).stdout, /^languages-6\t/m);
    assert.match((await steno(`follows get ${id}`)).stdout, /^status +active$/m);
    assert.match((await steno(`follows update ${id} --max-credits-per-period 60`)).stdout, /^max.* 60$/m);
    for (const [given, url] of [
      ['https://example.com/new', 'https://example.com/new'],
      ['none', null],
    ]) {
      const { stdout } = await steno(`follows update ${id} --webhook-url ${given} --json`);
      assert.equal(JSON.parse(stdout).webhook_url, url);
    }
    assert.match((await steno(`follows pause ${id}`)).stdout, /^status +paused$/m);
    assert.match((await steno(`follows resume ${id}`)).stdout, /^status +active$/m);
    assert.equal((await steno(`follows rotate-feed ${id}`)).code, 0);
    assert.equal((await steno('follows create @marketdays --max-credits-per-period 50')).code, 1);
    const check = await fetch(`${app.url}/v1/follows/${id}/check`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${account.key}` },
    });
    assert.equal(check.status, 429);
    assert.equal((await steno(`follows delete ${id}`)).stdout, `${id} has ended\n`);
    const watched = (await steno(`follows watch ${id} --json`)).stdout.trim().split('\n');
    const events: { id: string; status: string }[] = watched.map((line) => JSON.parse(line));
    assert.equal(events[0]?.status, 'active');
    // A video that was read meanwhile may be told after the end.
    const before = events[events.findIndex(({ status }) => status === 'ended') - 1]?.id;
    assert.match((await steno(`follows watch ${id} --after ${before}`)).stdout, /^\S+Z follow ended\n/);
    assert.equal((await steno(`follows watch ${id} --after x`)).code, 2);
    assert.equal((await steno('follows watch fol_0')).code, 5);
    assert.equal((await steno('follows get fol_0')).code, 5);
  });

  it('keeps what it reads, finds it again and removes it', async () => {
    assert.equal((await steno('get lighthouse1 --keep')).code, 0);
    assert.equal((await steno('raw teatime-gb1 --keep')).code, 0);
    assert.match((await steno('library list')).stdout, /^teatime-gb1\ten-GB\t[\s\S]*^lighthouse1\ten\t/m);
    const found = await steno('library search lamp --limit 1');
    assert.match(found.stdout, /^lighthouse1 {2}\d\d:\d\d {2}.*\n {2}.*lamp/);
    assert.equal((await steno('library search the')).code, 2);
    assert.match((await steno('library ask lens')).stdout, /\n\nlighthouse1 {2}\d\d:\d\d {2}.*lens/);
    assert.match((await steno('library versions lighthouse1')).stdout, /^1\ten\t.*\t[0-9a-f]{64}$/m);
    assert.match((await steno('library version lighthouse1 1')).stdout, /^\[\d\d:\d\d\] /);
    assert.equal((await steno('library diff lighthouse1 1 1')).stderr, 'No differences.\n');
    const archive = join(await mkdtemp(join(tmpdir(), 'steno-library-')), 'library.zip');
    assert.equal((await steno(`library export -o ${archive}`)).code, 0);
    assert.equal((await readFile(archive)).subarray(0, 2).toString(), 'PK');
    assert.equal((await steno(`library export -o ${archive} --limit 1`)).code, 0);
    const one = (await readFile(archive)).toString('latin1');
    assert.deepEqual([one.includes('teatime-gb1'), one.includes('lighthouse1')], [true, false]);
    await rm(dirname(archive), { recursive: true });
    assert.equal((await steno('library remove lighthouse1')).code, 0);
    assert.equal((await steno('library remove lighthouse1')).code, 5);
    assert.equal((await steno('library clear')).code, 0);
    assert.equal((await steno('library list')).stdout, '');
    assert.equal((await steno('get lighthouse1 --keep --local')).code, 2);
  });

  it('assigns the cost of what it reads, lists and searches', async () => {
    for (const verb of [
      'get lighthouse1',
      'raw lighthouse1',
      'chunks lighthouse1',
      'channels @harbournotes --limit 1',
      'library search lamp',
      'search lighthouse1 lamp',
    ]) {
      const tag = `of ${verb.split(' ').slice(0, 2).join(' ').replace('@', '')}`;
      assert.equal((await steno([...verb.split(' '), '--cost-tag', tag])).code, 0, verb);
      const { entries } = await jsonIn<{ entries: unknown[] }>(
        await app.get(`/v1/ledger?cost_tag=${encodeURIComponent(tag)}`, { key: account.key }),
      );
      assert.equal(entries.length, 1, verb);
    }
    assert.equal((await steno('get lighthouse1 --cost-tag ü')).code, 2);
    assert.equal((await steno('get lighthouse1 --cost-tag a --local')).code, 2);
  });

  it('prints the cost of what it would read, search or answer, and charges nothing', async () => {
    const used = async () =>
      (await jsonIn<{ credits_used: number }>(await app.get('/v1/usage', { key: account.key }))).credits_used;
    const before = await used();
    for (const verb of ['raw lighthouse1', 'library search lamp', 'library ask lamp?', 'search lighthouse1 lamp']) {
      const { code, stdout } = await steno([...verb.split(' '), '--dry-run']);
      assert.equal(code, 0, verb);
      assert.match(stdout, /^credits +[1-9]/, verb);
    }
    assert.equal(await used(), before);
  });

  it('calls every operation of the API except those that have their own verbs', () => {
    const left = endpoints
      .filter(({ path }) => path.startsWith('/v1/'))
      .filter((endpoint) => !asked.some((request) => isTo(endpoint, request)));
    const byOthers = ['getTranscripts', 'createPlaylistJob', 'createChannelJob'];
    assert.deepEqual(left.map(({ id }) => id).toSorted(), byOthers.toSorted());
  });

  it('gives every member of the query or the body of each endpoint by an argument or an option', async () => {
    const ofOperation = ['video_id', 'videoId', 'url', 'language'];
    // By arguments and options of other names, by pages, or as another name of the same.
    const otherwise: Readonly<Record<string, readonly string[]>> = {
      ...Object.fromEntries(operations.map(({ name }) => [name, ofOperation])),
      login: ['as_of', 'days'],
      get: ['body', 'translate'],
      'jobs create': ['ids', 'video_ids', 'urls'],
      'jobs list': ['before'],
      'jobs deliveries': ['before'],
      'jobs results': ['cursor'],
      'follows list': ['before'],
      'webhooks create': ['url'],
      'webhooks update': ['active'],
      'webhooks deliveries': ['before'],
      'library list': ['cursor'],
      'library search': ['q'],
      'ledger list': ['before', 'days'],
    };
    const missing = new Map<string, Set<string>>();
    for (const [words, sent] of [...requests]) {
      const { stdout: help } = await steno([
        ...words.slice(0, 2).filter((word) => /^[a-z][a-z-]+$/.test(word)),
        '--help',
      ]);
      const [, verb = ''] = /^Usage: steno ([a-z -]+?) \[options\]/.exec(help) ?? [];
      const found = missing.get(verb) ?? new Set();
      missing.set(verb, found);
      for (const endpoint of endpoints.filter((one) => sent.some((request) => isTo(one, request)))) {
        for (const name of Object.keys(membersOf(endpoint))) {
          const flag = `--${name.replaceAll('_', '-')}`;
          const option = new RegExp(`^ +(?:-\\w, )?${flag}(?= )(?! <url> +of the server)`, 'm');
          const argument = new RegExp(`^Usage: .*<${name}>`);
          if (!option.test(help) && !argument.test(help)) found.add(name);
        }
      }
    }
    const all = [...missing]
      .filter(([, names]) => names.size > 0)
      .map(([verb, names]) => [verb, [...names].toSorted()]);
    assert.ok(missing.size > 30);
    assert.deepEqual(
      Object.fromEntries(all),
      Object.fromEntries(Object.entries(otherwise).map(([verb, names]) => [verb, names.toSorted()])),
    );
  });

  it('logs out, and is then told to log in', async () => {
    assert.equal((await steno('logout')).code, 0);
    assert.equal((await steno('logout')).stderr, 'Not logged in.\n');
    assert.equal((await steno('usage')).code, 4);
    await login();
  });
});

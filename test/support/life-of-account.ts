import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { browser } from '#test/support/journey.ts';
import { dumpOf, formsOf, plantedPassword } from '#test/support/leaks.ts';
import type { Running } from '#test/support/program.ts';

const video = 'teatime-gb1';
const email = 'canary.person@mail-of-canary.example';
const password = plantedPassword('owner');
const wrongPassword = plantedPassword('guess');

type Key = { id: string; key_prefix: string; fullKey: string; last_used_at: string | null };
type Entry = { id: string; type: string; hash: string };
type Usage = {
  credits_used: number;
  credits_remaining: number;
  by_kind: { kind: string; count: number; credits: number; links: { ledger: string } }[];
  daily: { day: string; count: number; links: { ledger: string } }[];
  by_key: { key_id: string | null; credits: number; links: { ledger: string } | null }[];
};

/** What must be nowhere in clear when the journey is over. */
type Secrets = { readonly [name: string]: string };

/** The whole life of an account, over HTTP only. Each request goes to the next of the processes. */
export const live = async (urls: readonly string[]): Promise<Secrets> => {
  const page = browser(urls);
  const { json, send } = page;

  const solved = await page.solved();
  const registration = { email, password, name: 'Canary Person', ...solved };
  const { user } = await json<{ user: { id: string } }>(
    201,
    send('POST', '/api/auth/register', { body: registration }),
  );
  assert.match(user.id, /^usr_/);
  await json(401, send('GET', '/api/account/me'));

  const guess = { email, password: wrongPassword };
  await json(401, send('POST', '/api/auth/login', { body: guess }));
  await json(200, send('POST', '/api/auth/login', { body: { email, password } }));
  const session = page.cookie('session') ?? '';
  const me = await json<{ credits: { remaining: number }; keys_active: number }>(200, send('GET', '/api/account/me'));
  assert.deepEqual([me.credits.remaining, me.keys_active], [10_000, 0]);

  const { key } = await json<{ key: Key }>(201, send('POST', '/api/account/keys', { body: {} }));
  const bearer = { headers: { Authorization: `Bearer ${key.fullKey}` } };
  const read = await send('GET', `/v1/transcripts/${video}`, bearer);
  assert.equal(read.status, 200, await read.clone().text());
  assert.equal(read.headers.get('X-Credits-Charged'), '1');
  const charge = read.headers.get('X-Credits-Event') ?? '';
  await json(404, send('GET', '/v1/transcripts/aaaaaaaaaaa', bearer));

  await checkUsage(page, key, charge);

  const { key: rolled } = await json<{ key: Key }>(
    201,
    send('POST', `/api/account/keys/${key.id}/roll`, { body: { overlap_hours: 1 } }),
  );
  assert.equal((await send('GET', '/v1/usage', bearer)).status, 200, 'good during the overlap');
  await json(204, send('DELETE', `/api/account/keys/${key.id}`));
  await json(204, send('DELETE', `/api/account/keys/${rolled.id}`));
  await refusedWithin(1_500, urls, key.fullKey);

  await json(204, send('POST', '/api/auth/logout'));
  await json(401, send('GET', '/api/account/me', { headers: { Cookie: `session=${session}` } }));
  await json(200, send('POST', '/api/auth/login', { body: { email, password } }));
  await checkHistory(page);

  const last = page.cookie('session') ?? '';
  await json(204, send('POST', '/api/account/erase', { body: { password } }));
  await json(401, send('GET', '/api/account/me', { headers: { Cookie: `session=${last}` } }));
  await json(401, send('POST', '/api/auth/login', { body: { email, password } }));
  return { password, wrongPassword, session, last, key: key.fullKey, rolled: rolled.fullKey };
};

/** Every figure of usage leads to the entries behind it. */
const checkUsage = async ({ json, send }: ReturnType<typeof browser>, key: Key, charge: string) => {
  const usage = await json<Usage>(200, send('GET', '/api/account/usage'));
  assert.equal(usage.credits_used, 1);
  assert.equal(usage.credits_remaining, 9_999);
  const kind = usage.by_kind.find((row) => row.kind === 'transcript');
  const byKey = usage.by_key.find((row) => row.key_id === key.id);
  const day = usage.daily.at(-1);
  assert.equal(byKey?.credits, 1);
  for (const path of [kind?.links.ledger, day?.links.ledger, byKey?.links?.ledger]) {
    const { entries } = await json<{ entries: Entry[] }>(200, send('GET', path ?? ''));
    assert.ok(
      entries.some(({ id, type }) => id === charge && type === 'CreditsCharged'),
      path,
    );
  }
  const none = await json<{ entries: Entry[] }>(200, send('GET', '/api/account/ledger?key_id=none'));
  assert.deepEqual(none.entries, [], 'grants are no use, and all use had a key');
  const entry = await json<Entry>(200, send('GET', `/api/account/ledger/${charge}`));
  assert.match(entry.hash, /^[0-9a-f]{64}$/);
  const listed = await json<{ keys: Key[] }>(200, send('GET', '/api/account/keys'));
  assert.equal(listed.keys[0]?.key_prefix, key.fullKey.slice(0, 13));
  assert.equal(listed.keys[0]?.fullKey, undefined);
};

/** What was done to the account, by whom, from where. */
const checkHistory = async ({ json, send }: ReturnType<typeof browser>) => {
  const wanted = ['AccountRegistered', 'SessionStarted', 'KeyCreated', 'KeyRolled', 'KeyRevoked', 'SessionEnded'];
  type AccountEventJson = { type: string; origin: { ip: string } | null; actor: { type: string } | null };
  let events: AccountEventJson[] = [];
  for (let tries = 0; tries < 100; tries += 1) {
    ({ events } = await json<{ events: AccountEventJson[] }>(200, send('GET', '/api/account/events')));
    if (events.filter(({ type }) => type === 'SessionStarted').length === 2) break;
    await pause(50);
  }
  for (const type of wanted) {
    const event = events.find((one) => one.type === type);
    assert.equal(event?.actor?.type, 'user', type);
    assert.equal(event?.origin?.ip, '127.0.0.1', type);
  }
};

/** Each of the processes refuses the key after this time at the latest, and from then on. */
const refusedWithin = async (ms: number, urls: readonly string[], key: string): Promise<void> => {
  const headers = { Authorization: `Bearer ${key}` };
  const statuses = () => Promise.all(urls.map(async (url) => (await fetch(`${url}/v1/usage`, { headers })).status));
  const deadline = performance.now() + ms;
  while ((await statuses()).some((status) => status !== 401)) {
    assert.ok(performance.now() < deadline, `still answered after ${ms} ms`);
    await pause(50);
  }
};

/** Nothing secret in any row or log line; the person, now erased, nowhere at all. */
export const assertNowhere = (secrets: Secrets, lines: readonly { place: string; text: string }[]): void => {
  for (const [name, value] of Object.entries(secrets)) assert.ok(value.length > 10, `no ${name}`);
  const forms = Object.entries(secrets).flatMap(([name, value]) => formsOf(value).map((form) => ({ name, form })));
  const traces = ['canary.person', 'mail-of-canary', 'Canary Person'];
  for (const { name, form } of [...forms, ...traces.map((form) => ({ name: form, form }))]) {
    const leak = lines.find(({ text }) => text.includes(form));
    assert.equal(leak, undefined, `${name} stands in ${leak?.place}`);
  }
};

export const rowsOf = async (databaseUrl: string) => {
  const rows = await dumpOf(databaseUrl);
  assert.ok(rows.some(({ place }) => place.endsWith('es_event')));
  return rows;
};

/** What these processes wrote, once they have ended. */
export const logsOf = async (programs: readonly Running[]) => {
  const lines: { place: string; text: string }[] = [];
  for (const { child, finished } of programs) {
    child.kill('SIGTERM');
    const { stdout, stderr } = await finished;
    lines.push({ place: 'stdout', text: stdout }, { place: 'the log', text: stderr });
  }
  assert.match(lines.map(({ text }) => text).join(''), /"route":"\/api\/auth\/login"/);
  return lines;
};

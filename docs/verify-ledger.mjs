// Checks a ledger without trusting the service that wrote it: this file needs Node and nothing of ours.
//
//   node verify-ledger.mjs FILE…                            exports (`steno ledger export`), pages of `GET /v1/ledger` in any order, or entries
//   node verify-ledger.mjs < FILE                           the same
//   STENO_API_KEY=… node verify-ledger.mjs https://SERVER   every page of your ledger, from the server
//
// Ends with 0 if every entry holds, 1 at the first that does not, and 2 if there is nothing that could be checked.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** RFC 8785: members sorted by UTF-16 code units, no white space. */
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
};

const hashOf = ({ type, schema_version, stream, version, data, meta, prev_hash, ...entry }) => {
  const id = entry.id ?? entry.event_id;
  const body = canonical({ id, type, schema_version, stream, version, data, meta });
  return createHash('sha256').update(prev_hash).update(body).digest('hex');
};

/** Not hashed: the place of an entry among those of all accounts, which only has to grow. */
const positionOf = ({ position }) => (/^\d+$/.test(position) ? BigInt(position) : 0n);

/** Whether the ledger begins with this entry. */
const isFirstEver = ({ version, data }) => version === '1' && data.previousStream === null;

/** What is wrong with an entry that follows another; null: nothing. The first one may be any of its book. */
const faultOf = (entry, before) => {
  if (hashOf(entry) !== entry.hash) return 'was changed after it was written';
  // Shown beside what was hashed, for those who read: they say the same, or somebody changed them.
  const { occurred_at, request_id = null } = entry.meta;
  if (entry.occurred_at !== occurred_at || entry.request_id !== request_id) {
    return 'shows another time or request than its meta';
  }
  if (!(positionOf(entry) > (before === null ? 0n : positionOf(before)))) return 'is out of order';
  const hash = before?.hash ?? (isFirstEver(entry) ? '0'.repeat(64) : entry.prev_hash);
  const version = before?.stream === entry.stream ? BigInt(before.version) + 1n : 1n;
  const isNext = before === null || BigInt(entry.version) === version;
  return entry.prev_hash === hash && isNext ? null : 'does not follow the one before it';
};

const end = (code) => (why) => {
  console.error(why);
  process.exit(code);
};
const fail = end(1);
const refuse = end(2);

const isEntry = (value) =>
  typeof value?.data === 'object' &&
  typeof value.meta === 'object' &&
  value.data !== null &&
  value.meta !== null &&
  typeof value.prev_hash === 'string';

/** The entries of one line: itself, or those of a page. */
const entriesOf = (line) => {
  try {
    const value = JSON.parse(line);
    const entries = Array.isArray(value?.entries) ? value.entries : [value];
    return entries.every(isEntry) ? entries : null;
  } catch {
    return null;
  }
};

/** A page of a hundred entries is far shorter. */
const maxLine = 16 * 1024 * 1024;

/** The lines of a stream, each as soon as it ends. */
async function* linesOf(input, name) {
  let rest = '';
  let number = 1;
  for await (const chunk of input.setEncoding('utf8')) {
    const [first, ...others] = chunk.split('\n');
    rest += first;
    for (const other of others) {
      yield rest;
      rest = other;
      number += 1;
    }
    if (rest.length > maxLine) fail(`line ${number}${name} is longer than ${maxLine} characters`);
  }
  yield rest;
}

/** What a text is that has no entry in its first line. */
const otherFormat = (line) => {
  const ndjson = 'export it with: steno ledger export --format ndjson';
  if (line.startsWith('PAR1')) return `this is Parquet, of which nothing was checked: ${ndjson}`;
  if (/^"?event_id"?,/.test(line)) return `this is CSV, of which nothing was checked: ${ndjson}`;
  const error = /^\s*\{\s*"error"/.test(line) ? `: ${line.slice(0, 300)}` : '';
  return `this is no ledger${error}`;
};

async function* entriesIn(input, name = '') {
  let number = 0;
  let isFirst = true;
  for await (const line of linesOf(input, name)) {
    number += 1;
    if (line.trim() === '') continue;
    const entries = entriesOf(line);
    if (entries === null && isFirst) refuse(`${otherFormat(line)}${name}`);
    isFirst = false;
    yield* entries ?? fail(`line ${number}${name} is no entry of a ledger`);
  }
}

/** Every entry that a server shows to the owner of the key, page by page. */
async function* entriesAt(server) {
  const { STENO_API_KEY: key = '' } = process.env;
  if (key === '') refuse('STENO_API_KEY is not set: it holds an API key of the account');
  const headers = { Authorization: `Bearer ${key}` };
  for (let before = ''; before !== null; ) {
    const url = `${server.replace(/\/+$/, '')}/v1/ledger?limit=100${before && `&before=${before}`}`;
    const answer = await fetch(url, { headers }).catch((error) =>
      refuse(`${url} cannot be reached: ${error.cause?.message ?? error.message}`),
    );
    const seconds = Number(answer.headers.get('retry-after'));
    if (answer.status === 429 && seconds > 0) {
      await answer.arrayBuffer();
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      continue;
    }
    const text = await answer.text();
    const entries = answer.ok ? entriesOf(text) : null;
    yield* entries ?? refuse(`${url} answered ${answer.status}: ${text.slice(0, 300)}`);
    before = JSON.parse(text).next_before ?? null;
  }
}

async function* everyEntry(sources) {
  if (sources.length === 0) yield* entriesIn(process.stdin);
  for (const source of sources) {
    if (/^https?:\/\//.test(source)) yield* entriesAt(source);
    else {
      const file = createReadStream(source);
      await new Promise((resolve) => {
        file.once('open', resolve);
        file.once('error', (error) => refuse(`${source} cannot be read: ${error.message}`));
      });
      yield* entriesIn(file, ` of ${source}`);
    }
  }
}

/** The account whose chain an entry is in. */
const accountOf = ({ meta, data }) => meta.account_id ?? data.accountId;

/** By account: each has a chain of its own. Pages may overlap: an entry that came twice, the same to the last letter, counts once. */
const ledgers = new Map();
const [, , ...sources] = process.argv;
if (sources.length === 0 && process.stdin.isTTY) {
  refuse('usage: node verify-ledger.mjs FILE…, or < FILE, or https://SERVER with STENO_API_KEY');
}
for await (const entry of everyEntry(sources)) {
  const ofAccount = ledgers.get(accountOf(entry)) ?? new Map();
  ledgers.set(accountOf(entry), ofAccount.set(canonical(entry), entry));
}
if (ledgers.size === 0) fail('there is no entry of a ledger');

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const placeOf = ({ version, stream }) => `event ${version} of ${stream}`;
const results = [...ledgers.values()].map((found) => {
  const entries = [...found.values()].sort((a, b) => compare(positionOf(a), positionOf(b)));
  for (const [index, entry] of entries.entries()) {
    const fault = faultOf(entry, entries[index - 1] ?? null);
    if (fault !== null) fail(`${placeOf(entry)} ${fault}`);
  }
  const [first, last] = [entries[0], entries.at(-1)];
  const part = isFirstEver(first) ? 'the ledger from its beginning' : `a part of the ledger, from ${placeOf(first)}`;
  return `${entries.length} entries hold: ${part} to ${placeOf(last)}; the last hash is ${last.hash}`;
});
if (results.length > 1) console.log(`These are ${results.length} ledgers, of as many accounts.`);
for (const result of results) console.log(result);

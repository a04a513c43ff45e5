// Checks a ledger without trusting the service that wrote it: this file needs Node and nothing of ours.
// Reads from stdin an export (`steno ledger export`), pages of `GET /v1/ledger` in any order, or entries of `GET /v1/ledger/{id}`.
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';

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
  const hash = isFirstEver(entry) ? '0'.repeat(64) : (before?.hash ?? entry.prev_hash);
  const version = before?.stream === entry.stream ? BigInt(before.version) + 1n : 1n;
  const isNext = before === null || BigInt(entry.version) === version;
  return entry.prev_hash === hash && isNext ? null : 'does not follow the one before it';
};

const fail = (why) => {
  console.error(why);
  process.exit(1);
};

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

/** Pages may overlap: an entry that came twice, the same to the last letter, counts once. */
const found = new Map();
for (const [index, line] of (await text(process.stdin)).split('\n').entries()) {
  if (line.trim() === '') continue;
  for (const entry of entriesOf(line) ?? fail(`line ${index + 1} is no entry of a ledger`)) {
    found.set(canonical(entry), entry);
  }
}
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const entries = [...found.values()].sort((a, b) => compare(positionOf(a), positionOf(b)));
for (const [index, entry] of entries.entries()) {
  const fault = faultOf(entry, entries[index - 1] ?? null);
  if (fault !== null) fail(`event ${entry.version} of ${entry.stream} ${fault}`);
}

const placeOf = ({ version, stream }) => `event ${version} of ${stream}`;
const first = entries[0];
const last = entries.at(-1);
if (first === undefined || last === undefined) fail('there is no entry of a ledger');
const part = isFirstEver(first)
  ? 'the ledger from its beginning'
  : `a part of the ledger, from ${placeOf(first)}`;
console.log(
  `${entries.length} entries hold: ${part} to ${placeOf(last)}; the last hash is ${last.hash}`,
);

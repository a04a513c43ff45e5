// Checks a ledger without trusting the service that wrote it: this file needs Node and nothing of ours.
// Reads from stdin an export (`steno ledger export`), a page of `GET /v1/ledger`, or one entry of `GET /v1/ledger/{id}`.
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

/** What is wrong with an entry that follows another; null: nothing. The first one may be any of its book. */
const faultOf = (entry, before) => {
  if (hashOf(entry) !== entry.hash) return 'was changed after it was written';
  const isFirstEver = entry.version === '1' && entry.data.previousStream === null;
  const hash = isFirstEver ? '0'.repeat(64) : (before?.hash ?? entry.prev_hash);
  const version = before?.stream === entry.stream ? BigInt(before.version) + 1n : 1n;
  const isNext = before === null || BigInt(entry.version) === version;
  return entry.prev_hash === hash && isNext ? null : 'does not follow the one before it';
};

const lines = (await text(process.stdin)).split('\n').filter((line) => line.trim() !== '');
const values = lines.map((line) => JSON.parse(line));
// A page comes newest first.
const entries = values.flatMap((value) => value.entries?.toReversed() ?? [value]);
let before = null;
for (const entry of entries) {
  const fault = faultOf(entry, before);
  if (fault !== null) {
    console.error(`event ${entry.version} of ${entry.stream} ${fault}`);
    process.exit(1);
  }
  before = entry;
}
console.log(`${entries.length} entries hold; the last hash is ${before?.hash ?? 'none'}`);

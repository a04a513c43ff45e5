// Verifies a ledger without trusting the service that wrote it: this file needs only Node.
//
//   node verify-ledger.mjs FILE…                            exports (`steno ledger export`), pages of `GET /v1/ledger` in any order, or entries
//   node verify-ledger.mjs < FILE                           the same
//   STENO_API_KEY=… node verify-ledger.mjs https://SERVER   every page of your ledger, from the server
//
//   --proof FILE   a response of `GET /v1/ledger/{id}/proof`, or a checkpoint, that you kept; may be repeated
//   --keys FILE    the verifier keys of the log and of its witnesses that you trust, one per line (`GET /tlog/keys`)
//   --log LOG      the log itself, https://SERVER/tlog or a folder with a copy: kept checkpoints must be prefixes of it
//
// With proofs: each must be signed, and each of their entries must be in the signed tree and in the export. This detects a
// server that changes, removes, inserts or moves entries, even if it recomputes every hash.
//
// Exits with 0 if every entry is valid, 1 at the first invalid one, and 2 if there is nothing to check.
import { createHash, createPublicKey, hash, verify } from 'node:crypto';
import { createReadStream, fstatSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Texts that JSON writes as they are; most are. */
const plain = /^[ !#-[\]-~]*$/;

/** RFC 8785: members sorted by UTF-16 code units, no white space. */
const canonical = (value) => {
  if (typeof value === 'string' && plain.test(value)) return `"${value}"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  let json = '';
  for (const name of Object.keys(value).sort()) {
    json += `${json === '' ? '' : ','}${canonical(name)}:${canonical(value[name])}`;
  }
  return `{${json}}`;
};

const hashOf = ({ event_id, id = event_id, type, schema_version, stream, version, data, meta, prev_hash }) => {
  const body = canonical({ id, type, schema_version, stream, version, data, meta });
  return hash('sha256', prev_hash + body, 'hex');
};

/** Not hashed: the place of an entry among those of all accounts, which only has to grow. */
const positionOf = ({ position }) => {
  if (/^\d{1,15}$/.test(position)) return Number(position);
  return /^\d+$/.test(position) ? BigInt(position) : 0;
};

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
  if (!(positionOf(entry) > (before === null ? 0 : positionOf(before)))) return 'is out of order';
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

const usage = 'usage: node verify-ledger.mjs FILE…, or < FILE, or https://SERVER with STENO_API_KEY';
const optionsIn = (args) => {
  const options = { proof: { type: 'string', multiple: true }, keys: { type: 'string' }, log: { type: 'string' } };
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    return refuse(`${error.message}\n${usage}`);
  }
};
const { values: given, positionals: sources } = optionsIn(process.argv.slice(2));
const kept = given.proof ?? [];
if (kept.length + (given.log === undefined ? 0 : 1) > 0 && given.keys === undefined) {
  refuse('--keys is missing: it names the file of the keys that you trust');
}
/** A terminal or /dev/null is no export: then the proofs are checked alone. */
const hasExport = sources.length > 0 || !(process.stdin.isTTY || fstatSync(0).isCharacterDevice());
if (!hasExport && kept.length === 0 && given.log === undefined) refuse(usage);

/** By account: each has a chain of its own. Pages may overlap: an entry that came twice, the same to the last letter, counts once. */
const ledgers = new Map();
if (hasExport) {
  for await (const entry of everyEntry(sources)) {
    const ofAccount = ledgers.get(accountOf(entry)) ?? new Map();
    const place = `${entry.position} ${entry.hash}`;
    const known = ofAccount.get(place);
    const isOther = known !== undefined && canonical(known) !== canonical(entry);
    ledgers.set(accountOf(entry), ofAccount.set(isOther ? canonical(entry) : place, entry));
  }
  if (ledgers.size === 0) fail('there is no entry of a ledger');
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const placeOf = ({ version, stream }) => `event ${version} of ${stream}`;
const sorted = new Map();
const results = [...ledgers.values()].map((found) => {
  const entries = [...found.values()].sort((a, b) => compare(positionOf(a), positionOf(b)));
  for (const [index, entry] of entries.entries()) {
    const fault = faultOf(entry, entries[index - 1] ?? null);
    if (fault !== null) fail(`${placeOf(entry)} ${fault}`);
  }
  const [first, last] = [entries[0], entries.at(-1)];
  sorted.set(accountOf(first), entries);
  const part = isFirstEver(first) ? 'the ledger from its beginning' : `a part of the ledger, from ${placeOf(first)}`;
  return `${entries.length} entries hold: ${part} to ${placeOf(last)}; the last hash is ${last.hash}`;
});
if (results.length > 1) console.log(`These are ${results.length} ledgers, of as many accounts.`);
for (const result of results) console.log(result);

// The transparency log: signed notes and checkpoints of C2SP, hashes of RFC 9162.

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const nodeHash = (left, right) => sha256(Buffer.from([1]), left, right);
const base64 = (text) => Buffer.from(String(text), 'base64');

const readText = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return refuse(`${path} cannot be read: ${error.message}`);
  }
};

/** The keys of a file of lines `name+id+base64`; the first byte says what they sign: 1 notes, 4 checkpoints of others. */
const keysIn = (text) =>
  text.split('\n').flatMap((line) => {
    const [, name, id, encoded] = /^([^+]+)\+([0-9a-f]{8})\+(\S+)\s*$/.exec(line) ?? [];
    if (name === undefined) return [];
    const material = base64(encoded);
    const right = sha256(Buffer.from(`${name}\n`), material)
      .subarray(0, 4)
      .toString('hex');
    if (right !== id || material.length !== 33 || ![1, 4].includes(material[0])) refuse(`${line} is no key`);
    const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), material.subarray(1)]);
    return [{ name, id, kind: material[0], key: createPublicKey({ key: der, format: 'der', type: 'spki' }) }];
  });

const isSigned = ({ kind, key }, text, signature) => {
  if (kind === 1) return verify(null, Buffer.from(text), key, signature);
  if (signature.length < 8) return false;
  const stamped = `cosignature/v1\ntime ${signature.readBigUInt64BE()}\n${text}`;
  return verify(null, Buffer.from(stamped), key, signature.subarray(8));
};

/** A checkpoint that a key of the log has signed. A signature of a key that is known must hold. */
const checkpointIn = (note, where, keys) => {
  const end = String(note).lastIndexOf('\n\n');
  const text = String(note).slice(0, end + 1);
  const [origin, number, root] = text.split('\n');
  if (end < 0 || !/^\d{1,15}$/.test(number)) fail(`${where} has no checkpoint`);
  const signers = String(note)
    .slice(end + 2)
    .split('\n')
    .flatMap((line) => {
      const [, name, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? [];
      const signature = base64(encoded ?? '');
      const id = signature.subarray(0, 4).toString('hex');
      const key = keys.find((one) => one.name === name && one.id === id);
      if (key === undefined) return [];
      if (!isSigned(key, text, signature.subarray(4)))
        fail(`the checkpoint of ${where} was changed after ${name} signed it`);
      return [key];
    });
  if (!signers.some(({ kind, name }) => kind === 1 && name === origin)) {
    fail(`the checkpoint of ${where} is signed by no key of ${origin} that you trust`);
  }
  const witnesses = signers.filter(({ kind }) => kind === 4).map(({ name }) => name);
  return { origin, size: Number(number), root: base64(root), where, witnesses };
};

/** The ranges whose hashes prove a leaf, or that a tree begins with another one (RFC 9162, 2.1.3 and 2.1.4). */
const rangesTo = (size, isLeft, isEnd) => {
  const ranges = [];
  let [from, to] = [0, size];
  while (!isEnd(from, to)) {
    let half = 1;
    while (half * 2 < to - from) half *= 2;
    const middle = from + half;
    ranges.push(isLeft(middle) ? [middle, to] : [from, middle]);
    [from, to] = isLeft(middle) ? [from, middle] : [middle, to];
  }
  return { ranges: ranges.reverse(), from, to };
};

const provesLeaf = ({ leaf_index: index, inclusion }, leaf, { size, root }) => {
  if (!Number.isInteger(index) || index < 0 || index >= size || !Array.isArray(inclusion)) return false;
  const { ranges } = rangesTo(
    size,
    (middle) => index < middle,
    (from, to) => to - from === 1,
  );
  if (ranges.length !== inclusion.length) return false;
  const found = ranges.reduce((hash, [from], place) => {
    const sibling = base64(inclusion[place]);
    return from < index ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
  }, leaf);
  return found.equals(root);
};

/** What was kept of an entry: a proof, or a checkpoint alone. */
const keptIn = (path, keys) => {
  const text = readText(path);
  if (!text.trimStart().startsWith('{')) return { checkpoint: checkpointIn(text, path, keys), entry: null };
  let proof = null;
  try {
    proof = JSON.parse(text);
  } catch {
    fail(`${path} is no proof`);
  }
  if (!isEntry(proof.entry)) fail(`${path} is no proof`);
  const checkpoint = checkpointIn(proof.checkpoint, path, keys);
  if (hashOf(proof.entry) !== proof.entry.hash) fail(`the entry of ${path} was changed after it was written`);
  const logged = sha256(base64(proof.salt), Buffer.from(proof.entry.hash, 'hex'));
  const leaf = sha256(Buffer.from([0]), logged);
  if (!leaf.equals(base64(proof.leaf_hash)) || !provesLeaf(proof, leaf, checkpoint)) {
    fail(`the entry of ${path} is not in the tree of its checkpoint`);
  }
  return { checkpoint, entry: proof.entry, path };
};

/** Whether the export has an entry that was kept; null: it begins after it. */
const isExported = (entry) => {
  const entries = sorted.get(accountOf(entry)) ?? [];
  if (entries.some(({ hash, position }) => hash === entry.hash && position === entry.position)) return true;
  const [first] = entries;
  return first !== undefined && !isFirstEver(first) && positionOf(first) > positionOf(entry) ? null : false;
};

const tileOf = (log, path) => {
  if (!/^https?:\/\//.test(log)) {
    try {
      return readFileSync(`${log.replace(/\/+$/, '')}/${path}`);
    } catch {
      return fail(`${log} has no ${path}`);
    }
  }
  const url = `${log.replace(/\/+$/, '')}/${path}`;
  return fetch(url).then(
    async (answer) => (answer.ok ? Buffer.from(await answer.arrayBuffer()) : fail(`${url} answered ${answer.status}`)),
    (error) => refuse(`${url} cannot be reached: ${error.cause?.message ?? error.message}`),
  );
};

const tilePath = (level, index, size) => {
  const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, '0');
  const number = digits.replace(/\d{3}(?=\d)/g, 'x$&/');
  const isFull = (index + 1) * 256 ** (level + 1) <= size;
  return `tile/${level}/${number}${isFull ? '' : `.p/${Math.floor(size / 256 ** level) % 256}`}`;
};

/** The hash of the leaves from `from` up to `to`, from tiles of a tree of `size` leaves. */
const rangeHash = async (log, size, from, to) => {
  const roots = [];
  for (let at = from; at < to; ) {
    let height = 0;
    while (at + 2 ** (height + 1) <= to) height += 1;
    const level = Math.floor(height / 8);
    const [place, width] = [at / 256 ** level, 2 ** (height % 8)];
    const tile = await tileOf(log, tilePath(level, Math.floor(place / 256), size));
    let hashes = Array.from({ length: width }, (_, n) =>
      tile.subarray(32 * ((place % 256) + n), 32 * ((place % 256) + n + 1)),
    );
    if (hashes.at(-1).length !== 32) fail(`a tile of ${log} is too short`);
    while (hashes.length > 1)
      hashes = hashes.flatMap((hash, n) => (n % 2 === 0 ? [nodeHash(hash, hashes[n + 1])] : []));
    roots.push(hashes[0]);
    at += 2 ** height;
  }
  return roots.reduceRight((right, left) => nodeHash(left, right));
};

/** Ends with 1 where the newer tree does not begin with the older one. */
const requireBeginning = async (log, size, older, newer) => {
  const told = `${older.where} (${older.size} leaves) and ${newer.where} (${newer.size} leaves) of ${older.origin} are of two histories: the log is forked`;
  if (older.size === newer.size) {
    if (!older.root.equals(newer.root)) fail(told);
    return;
  }
  if (log === undefined || older.size === 0) return;
  const { ranges, from, to } = rangesTo(
    newer.size,
    (middle) => older.size <= middle,
    (_, end) => end === older.size,
  );
  let inOlder = from === 0 ? older.root : await rangeHash(log, size, from, to);
  let inNewer = inOlder;
  for (const [start, end] of ranges) {
    const sibling = await rangeHash(log, size, start, end);
    if (end <= older.size) inOlder = nodeHash(sibling, inOlder);
    inNewer = end <= older.size ? nodeHash(sibling, inNewer) : nodeHash(inNewer, sibling);
  }
  if (!inOlder.equals(older.root) || !inNewer.equals(newer.root)) fail(told);
};

if (given.keys !== undefined) {
  const keys = keysIn(readText(given.keys));
  const proofs = kept.map((path) => keptIn(path, keys));
  for (const { entry, path } of proofs) {
    if (entry === null || !hasExport) continue;
    const isThere = isExported(entry);
    if (isThere === false)
      fail(`${placeOf(entry)}, which ${path} proves, is not in the export as it was: the ledger was rewritten or cut`);
    if (isThere === null) console.log(`${path} is older than the export, which is only a part of the ledger`);
  }
  const heads = proofs.map(({ checkpoint }) => checkpoint);
  if (given.log !== undefined) {
    const newest = checkpointIn(String(await tileOf(given.log, 'checkpoint')), given.log, keys);
    for (const { origin, size, where } of heads) {
      if (origin !== newest.origin) fail(`${where} is of ${origin}, and ${given.log} is ${newest.origin}`);
      if (size > newest.size) fail(`${given.log} has ${newest.size} leaves, and had ${size} by ${where}: it was cut`);
    }
    heads.push(newest);
  }
  heads.sort((a, b) => compare(a.origin, b.origin) || a.size - b.size);
  const last = heads.at(-1);
  for (const [index, head] of heads.entries()) {
    const next = heads[index + 1];
    if (next?.origin === head.origin) await requireBeginning(given.log, last.size, head, next);
  }
  for (const { where, origin, size, witnesses } of heads) {
    const seen = witnesses.length === 0 ? '' : `, cosigned by ${witnesses.join(', ')}`;
    console.log(`${where} holds: a checkpoint of ${origin} with ${size} leaves${seen}`);
  }
  if (given.log === undefined && new Set(heads.map(({ size }) => size)).size > 1) {
    console.log('Whether these checkpoints are of one history is shown by the log: name it by --log.');
  }
}

// Verifies signed receipts without trusting the service that issued them: this file needs only Node.
//
//   node verify-receipt.mjs RECEIPT --jwks FILE                     a receipt, or a file with receipts (the response of GET /v1/receipts/{id})
//   node verify-receipt.mjs RECEIPT --jwks FILE --transcript FILE   also checks that this is the content paid for, the response of
//                                                                   GET /v1/transcripts/{id} (format=json, without clean and timestamps)
//                                                                   or of an AI operation
//
// FILE of --jwks is /.well-known/jwks.json. Prints each receipt. Exits with 0 if every receipt is valid, 1 if one is not,
// and 2 if there is nothing to verify.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const end = (code) => (why) => {
  console.error(why);
  process.exit(code);
};
const fail = end(1);
const refuse = end(2);

/** RFC 8785: members sorted by UTF-16 code units, no white space. NUL and half surrogate pairs are not hashed. */
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'string') return JSON.stringify(value.replaceAll('\0', '').toWellFormed());
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
};

// <!-- operation-results -->

/** The members of the result of each AI operation; the other members of its answer repeat what was asked. */
const resultMembers = {
  summarize: ['summary'],
  chapters: ['chapters', 'source'],
  ask: ['answer', 'citations', 'grounded'],
  search: ['results'],
  quotes: ['quotes'],
  clips: ['clips'],
  repurpose: ['content'],
  translate: ['translated', 'source_language', 'code', 'message', 'segment_count', 'segments'],
};

// <!-- /operation-results -->

const picked = (value, members) =>
  Object.fromEntries(members.filter((name) => name in value).map((name) => [name, value[name]]));

/** What the hash covers: of captions who says what when, without what was asked for besides. */
const contentOf = (operation, answer) => {
  const members = resultMembers[operation];
  if (members !== undefined) return picked(answer, members);
  const segments = answer.segments?.map((segment) => picked(segment, ['text', 'start', 'duration']));
  return { ...picked(answer, ['language', 'source', 'video_id']), segments };
};

const fileOf = (path, what) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return refuse(`${what} cannot be read: ${error.message}`);
  }
};

const receiptsIn = (given) => {
  if (!existsSync(given)) return [given];
  const text = readFileSync(given, 'utf8').trim();
  if (!text.startsWith('{') && !text.startsWith('[')) return text.split(/\s+/);
  const { receipts = [] } = JSON.parse(text);
  return receipts;
};

const partsOf = (receipt) => {
  const parts = receipt.split('.');
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]+$/.test(part))) return null;
  try {
    const [header, payload] = parts
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')));
    return { header, payload, signed: `${parts[0]}.${parts[1]}`, signature: Buffer.from(parts[2], 'base64url') };
  } catch {
    return null;
  }
};

/** What is wrong with a receipt; null: nothing. */
const faultOf = (parts, keys) => {
  if (parts === null) return 'is no compact JWS';
  const { header, signed, signature } = parts;
  if (header.alg !== 'EdDSA' && header.alg !== 'Ed25519') return `is signed with ${header.alg}, which is no Ed25519`;
  const jwk = keys.find(({ kid, kty, crv }) => kid === header.kid && kty === 'OKP' && crv === 'Ed25519');
  if (jwk === undefined) return 'names a key that is not among the keys';
  const key = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: 'jwk' });
  return verify(null, Buffer.from(signed), key, signature) ? null : 'was changed, or was signed by another key';
};

const usage = 'usage: node verify-receipt.mjs RECEIPT --jwks FILE [--transcript FILE]';
const optionsIn = (args) => {
  const options = { jwks: { type: 'string' }, transcript: { type: 'string' } };
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    return refuse(`${error.message}\n${usage}`);
  }
};
const { values, positionals } = optionsIn(process.argv.slice(2));
const [given] = positionals;
if (given === undefined || values.jwks === undefined) refuse(usage);
const { keys = [] } = fileOf(values.jwks, 'the file of keys');
const receipts = receiptsIn(given);
if (receipts.length === 0) refuse('there is no receipt');
const transcript = values.transcript === undefined ? null : fileOf(values.transcript, 'the transcript');

for (const receipt of receipts) {
  const parts = partsOf(receipt);
  const fault = faultOf(parts, keys);
  if (fault !== null) fail(`the receipt ${fault}`);
  const { payload } = parts;
  if (payload.balance_before - payload.credits !== payload.balance_after)
    fail('the balances of the receipt do not add up');
  if (transcript !== null) {
    const hash = createHash('sha256')
      .update(canonical(contentOf(payload.operation, transcript)))
      .digest('hex');
    if (payload.content_sha256 === null) fail('the receipt does not say which content was paid for');
    if (hash !== payload.content_sha256)
      fail(`this is not the content paid for: its hash is ${hash}, not ${payload.content_sha256}`);
  }
  const what = [payload.operation, payload.video_id].filter((one) => one !== null).join(' ');
  console.log(
    `${payload.charged_at} ${what}: ${payload.credits} credits, event ${payload.event_id}, hash ${payload.event_hash}`,
  );
}
console.log(transcript === null ? 'verified' : 'verified, and the content is the one paid for');

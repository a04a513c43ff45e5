import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { decompress } from '../../../kernel/decompress.ts';
import { parseJson } from '../../../kernel/parse-json.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import { findJsonFlaw } from './strict-json.ts';

/** The limit of a JSON body in bytes, decompressed. */
export const defaultBodyLimit = 256 * 1024;
/** Far more fields than any form has. `URLSearchParams` takes quadratic time over fields without `=`. */
const maxFormFields = 1_000;

/**
 * Reads the JSON body of a request: strict UTF-8 without byte order mark. Refuses JSON that parsers read differently (a
 * name twice in one object, half a surrogate pair), and nesting deeper than 64.
 */
export const readJson = async (
  request: IncomingMessage,
  { limit, isOptional }: { readonly limit: number; readonly isOptional: boolean },
): Promise<unknown> => {
  const sent = await readBytes(request, limit);
  if (sent.length === 0) {
    if (isOptional) return {};
    throw invalidRequest('The request needs a body in JSON.', { path: 'body', code: 'missing' });
  }
  checkMediaType(request.headers['content-type']);
  const plain = await decompressBody(sent, request.headers['content-encoding'], limit);
  const text = decode(plain);
  const value = parseJson(text);
  if (value === undefined) throw malformed('The body is not valid JSON.');
  const flaw = findJsonFlaw(text);
  if (flaw !== null) throw malformed(`The body is not accepted: ${flaw}.`);
  return value;
};

/** Reads a body of text in UTF-8, whatever its media type. */
export const readText = async (request: IncomingMessage, limit: number): Promise<string> =>
  decode(await readBytes(request, limit));

/** Reads the fields of an HTML form (`application/x-www-form-urlencoded`). */
export const readForm = async (request: IncomingMessage, limit: number): Promise<URLSearchParams> => {
  const sent = await readBytes(request, limit);
  const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  if (sent.length > 0 && type.trim() !== 'application/x-www-form-urlencoded') {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be the fields of a form.');
  }
  const text = decode(sent);
  if (text.split('&', maxFormFields + 1).length > maxFormFields) {
    throw malformed(`The form has more than ${maxFormFields} fields.`);
  }
  return new URLSearchParams(text);
};

/** `application/json`, in UTF-8 whether it says so or not. */
const checkMediaType = (header: string | undefined): void => {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim() === 'charset' && !/^"?utf-?8"?$/.test(value.trim())) {
      throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be in UTF-8.');
    }
  }
};

const malformed = (message: string): Refusal => invalidRequest(message, { path: 'body', code: 'malformed' });

const tooLarge = (limit: number): Refusal =>
  new Refusal('PAYLOAD_TOO_LARGE', `The body may have at most ${limit} bytes.`, { limit });

/**
 * Bytes of a body that is too large which are read and discarded, so that the client reads the response before the
 * connection closes.
 */
const discardBytes = 1024 * 1024;
const discardMs = 500;

const readBytes = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let giveUp: NodeJS.Timeout | undefined;
    const refuse = (): void => {
      clearTimeout(giveUp);
      request.removeAllListeners('data').pause();
      reject(tooLarge(limit));
    };
    const isTooLarge = (): boolean => size > limit || Number(request.headers['content-length'] ?? 0) > limit;
    // A client that waits for `100 Continue` sends no bytes to count.
    if (isTooLarge()) giveUp = setTimeout(refuse, discardMs);

    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (!isTooLarge()) {
        chunks.push(chunk);
        return;
      }
      giveUp ??= setTimeout(refuse, discardMs);
      if (size > limit + discardBytes) refuse();
    });
    let isWhole = false;
    request.once('end', () => {
      isWhole = true;
      if (isTooLarge()) refuse();
      else resolve(Buffer.concat(chunks, size));
    });
    request.once('close', () => {
      clearTimeout(giveUp);
      if (!isWhole) reject(malformed('The body is not complete.'));
    });
    request.once('error', reject);
  });

const decompressBody = async (sent: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> => {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === 'identity') return sent;
  try {
    const decompressed = decompress(sent, name, limit);
    if (decompressed !== null) return await decompressed;
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(limit);
    throw malformed(`The body is not valid ${name}.`);
  }
  throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body may be compressed with gzip, deflate or br.');
};

const decode = (plain: Buffer): string => {
  if (!isUtf8(plain)) throw malformed('The body is not valid UTF-8.');
  return plain.toString();
};

/**
 * Continuation tokens as the platform writes them: base64url of a protobuf message
 * `{80226972: {2: browse id, 3: base64 of the place, 35: list id}}`, percent-encoded. Callers make the token
 * of a playlist's first page themselves, so tokens are parsed instead of looked up.
 */
const envelopeField = 80_226_972;
const browseIdField = 2;
const placeField = 3;
const listIdField = 35;

const varint = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
};

const lengthDelimited = (field: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(bytes.length)]), bytes]);

const readVarint = (bytes: Buffer, from: number): { value: number; next: number } | null => {
  let value = 0;
  for (let at = from, factor = 1; at < bytes.length && at < from + 7; at += 1, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, next: at + 1 };
  }
  return null;
};

/** The length-delimited fields of a protobuf message by number; null if the bytes are not a message. */
const fieldsOf = (bytes: Buffer): Map<number, Buffer> | null => {
  const fields = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const key = readVarint(bytes, at);
    const second = key && readVarint(bytes, key.next);
    if (!key || !second) return null;
    const field = Math.floor(key.value / 8);
    if (key.value % 8 === 0) at = second.next;
    else if (key.value % 8 === 2) {
      if (second.next + second.value > bytes.length) return null;
      fields.set(field, bytes.subarray(second.next, second.next + second.value));
      at = second.next + second.value;
    } else return null;
  }
  return fields;
};

/** The position of a continuation: the list or channel and the next entry. */
export type Place = {
  readonly browseId: string;
  /** `videos`, `shorts`, `live` of a channel; null for a playlist. */
  readonly tab: string | null;
  readonly from: number;
  /** Whether rows of unavailable videos are wanted. */
  readonly withUnavailable: boolean;
};

const decodedText = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** The token of a position, with its padding percent-encoded as in recorded answers. */
export const tokenOf = (place: Place): string => {
  const state = JSON.stringify([place.tab, place.from, place.withUnavailable]);
  const inner = Buffer.concat([
    lengthDelimited(browseIdField, Buffer.from(place.browseId)),
    lengthDelimited(placeField, Buffer.from(`at:${Buffer.from(state).toString('base64url')}`)),
    lengthDelimited(listIdField, Buffer.from(place.browseId.replace(/^VL/, ''))),
  ]);
  const token = lengthDelimited(envelopeField, inner).toString('base64');
  return encodeURIComponent(token.replaceAll('+', '-').replaceAll('/', '_'));
};

/** Parses a token of the simulator, or a client's own token for the first page of a playlist. */
export const placeOf = (token: string): Place | null => {
  const bytes = Buffer.from(decodedText(token), 'base64url');
  const envelope = fieldsOf(bytes)?.get(envelopeField);
  const inner = envelope && fieldsOf(envelope);
  const browseId = inner?.get(browseIdField)?.toString('utf8');
  const place = inner?.get(placeField)?.toString('utf8');
  if (!browseId || place === undefined) return null;
  if (!place.startsWith('at:')) {
    const flags = Buffer.from(decodedText(place), 'base64').toString('hex');
    return { browseId, tab: null, from: 0, withUnavailable: flags.includes('c206020800') };
  }
  const state = parsed(Buffer.from(place.slice(3), 'base64url').toString('utf8'));
  if (!Array.isArray(state)) return null;
  const [tab, from, withUnavailable] = state;
  return {
    browseId,
    tab: typeof tab === 'string' ? tab : null,
    from: Number(from),
    withUnavailable: withUnavailable === true,
  };
};

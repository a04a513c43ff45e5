import { WebhookVerificationError } from '../errors.js';
import type { WebhookEvent } from '../generated/schemas.js';
import { bytesOf, fromBase64 } from './encoding.js';

/** The headers of a request: those of `fetch`, or of a server of Node. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type Delivery = {
  /** As it was shown, `whsec_` included. */
  readonly secret: string;
  /** As it arrived, before any parsing. */
  readonly body: string | Uint8Array;
  readonly headers: WebhookHeaders;
  /** Seconds that the time of a delivery may differ from now. */
  readonly toleranceSeconds?: number;
  /** Unix seconds. */
  readonly now?: number;
};

const headerOf = (headers: WebhookHeaders, name: string): string => {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : (found?.[0] ?? '');
};

const joined = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** Verifies the `webhook-signature` of Standard Webhooks. Web Crypto compares in constant time. */
const isSigned = async (secret: string, signed: Uint8Array<ArrayBuffer>, signatures: string): Promise<boolean> => {
  const raw = fromBase64(secret.replace(/^whsec_/, ''));
  if (raw === null || raw.length === 0) throw new WebhookVerificationError('the secret is not one of a webhook');
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const signature of signatures.split(' ').slice(0, 16)) {
    const given = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : null;
    if (given !== null && (await crypto.subtle.verify('HMAC', key, given, signed))) return true;
  }
  return false;
};

/**
 * The event of a delivery that was signed with this secret no longer ago than the tolerance (five minutes). Throws
 * `WebhookVerificationError`: not signed, signed with another secret, changed, too old, or no JSON.
 * A delivery can come again: remember its `id`.
 */
export const verifyWebhook = async (delivery: Delivery): Promise<WebhookEvent> => {
  const { secret, headers, toleranceSeconds = 300, now = Date.now() / 1_000 } = delivery;
  const [id, sent, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !sent || !signatures) throw new WebhookVerificationError('the delivery is not signed');
  if (!/^\d{1,15}$/.test(sent)) throw new WebhookVerificationError('the time of the delivery is not a number');
  if (Math.abs(now - Number(sent)) > toleranceSeconds) {
    throw new WebhookVerificationError('the delivery is too old, or the clocks differ');
  }
  const body = typeof delivery.body === 'string' ? bytesOf(delivery.body) : delivery.body;
  if (!(await isSigned(secret, joined(bytesOf(`${id}.${sent}.`), body), signatures))) {
    throw new WebhookVerificationError('the signature is not that of this secret and body');
  }
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new WebhookVerificationError('the body is not JSON');
  }
};

import { createHmac } from 'node:crypto';
import { secretOverlapHours } from '../contract/webhooks.ts';

/** The secrets that sign, newest first; during the overlap of a rotation also the previous one. */
export type Secrets = readonly string[];

/** The overlap of a rotation: the previous secret still signs, milliseconds. */
export const rotationOverlapMs = secretOverlapHours * 3_600_000;

/**
 * The secret of an owner (a webhook, or an account) and generation: `whsec_` and the base64 of 32 bytes. It is derived
 * from the secret key of the service, so that no table, event or backup holds it before that key is replaced.
 */
export const secretMaker =
  (serviceKey: string) =>
  (ownerId: string, generation: number): string => {
    const bytes = createHmac('sha256', serviceKey).update(`webhook secret|${ownerId}|${generation}`).digest('base64');
    return `whsec_${bytes}`;
  };

/** The secret of an owner and generation, which belongs to this account. */
type WebhookSecret = (accountId: string, ownerId: string, generation: number) => Promise<string>;

/** The signing secrets. `made`: of a generation that the caller has just made; it is derived from the present key. */
export type WebhookSecrets = { readonly find: WebhookSecret; readonly made: WebhookSecret };

type Message = { readonly id: string; readonly timestampS: number; readonly body: string; readonly secrets: Secrets };

/**
 * The signature headers of a body, in two formats over the same body and `timestampS` (Unix seconds).
 * `X-Service-Signature: t=…,v1=<hex>` signs `t.body` with the secret as text. The three Standard Webhooks headers sign
 * `id.t.body` with the bytes that the secret encodes.
 */
export const signatureHeaders = ({ id, timestampS, body, secrets }: Message): Readonly<Record<string, string>> => {
  const own = secrets.map((secret) => `v1=${hmac(secret, `${timestampS}.${body}`, 'hex')}`);
  const standard = secrets.map((secret) => `v1,${hmac(keyOf(secret), `${id}.${timestampS}.${body}`, 'base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': standard.join(' '),
    'x-service-signature': [`t=${timestampS}`, ...own].join(','),
  };
};

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');

const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', key).update(text).digest(encoding);

import { createHmac } from 'node:crypto';

/** The secrets that sign now: the newest first; while a rotation overlaps, the one before too. */
export type Secrets = readonly string[];

/** How long the secret before a rotation still signs, milliseconds. */
export const rotationOverlapMs = 24 * 3_600_000;

/**
 * The secret of one owner (a webhook, or an account's own) and generation: `whsec_` and the base64 of 32
 * bytes. It is derived from the service's key, so no table, event or backup holds any secret.
 */
export const secretMaker =
  (serviceKey: string) =>
  (ownerId: string, generation: number): string => {
    const bytes = createHmac('sha256', serviceKey)
      .update(`webhook secret|${ownerId}|${generation}`)
      .digest('base64');
    return `whsec_${bytes}`;
  };

export type SecretOf = ReturnType<typeof secretMaker>;

/**
 * The headers that prove a body. Two families over the same body and time (`timestampS`, Unix seconds):
 * `X-Service-Signature: t=…,v1=<hex>` signs `t.body` and is keyed by the secret as it is shown; the three
 * Standard Webhooks headers sign `id.t.body` and are keyed by the bytes that the secret encodes.
 */
export const signatureHeaders = ({
  id,
  timestampS,
  body,
  secrets,
}: {
  readonly id: string;
  readonly timestampS: number;
  readonly body: string;
  readonly secrets: Secrets;
}): Readonly<Record<string, string>> => {
  const own = secrets.map((secret) => `v1=${hmac(secret, `${timestampS}.${body}`, 'hex')}`);
  const standard = secrets.map(
    (secret) => `v1,${hmac(keyOf(secret), `${id}.${timestampS}.${body}`, 'base64')}`,
  );
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

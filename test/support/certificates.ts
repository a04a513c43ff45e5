import { generateKeyPairSync, sign } from 'node:crypto';

/*
 * Self-signed X.509 certificates for servers in tests, of any dates: just enough DER (X.690) for a key on P-256, a
 * common name and one DNS name.
 */

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const bits = (bytes: Uint8Array): Buffer => der(0x03, Buffer.from([0]), bytes);
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value));
/** An object identifier by its bytes. */
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(oid('550403'), text(0x0c, name))));
/** Years from 1950 to 2049. */
const time = (at: Date): Buffer =>
  text(0x17, `${at.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`);

export type Certificate = { readonly cert: string; readonly key: string };

/** A certificate for this host name, good between the two moments. It is its own authority. */
export const certificateFor = (host: string, from: Date, until: Date): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const isAuthority = sequence(oid('551d13'), der(0x04, sequence(der(0x01, Buffer.from([0xff])))));
  const names = sequence(oid('551d11'), der(0x04, sequence(text(0x82, host))));
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    commonName(host),
    sequence(time(from), time(until)),
    commonName(host),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(isAuthority, names)),
  );
  const whole = sequence(signed, ecdsaWithSha256, bits(sign('sha256', signed, privateKey)));
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};

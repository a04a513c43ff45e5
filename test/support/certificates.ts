import { isIP } from 'node:net';
import { generate } from 'selfsigned';

export type Certificate = { readonly cert: string; readonly key: string };

/** A self-signed certificate for this host name or address, valid between the two moments, trusted as its own certificate authority. */
export const certificateFor = async (host: string, from: Date, until: Date): Promise<Certificate> => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: from,
    notAfterDate: until,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host }] },
    ],
  });
  return { cert, key };
};

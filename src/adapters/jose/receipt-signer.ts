import { createPublicKey, type KeyObject } from 'node:crypto';
import { CompactSign, calculateJwkThumbprint, exportJWK } from 'jose';
import type { PublicKey, SignReceipt } from '../../credits/receipt-signing.ts';

/** Signs receipts as compact JWS with Ed25519: the same receipt has the same bytes. `key`: a private key. */
export const receiptSigner = async (
  key: KeyObject,
): Promise<{ readonly sign: SignReceipt; readonly publicKey: PublicKey }> => {
  const { x = '' } = await exportJWK(createPublicKey(key));
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  const kid = await calculateJwkThumbprint(jwk);
  const header = { alg: 'EdDSA', kid, typ: 'steno-receipt' };
  return {
    sign: (payload) => new CompactSign(Buffer.from(payload)).setProtectedHeader(header).sign(key),
    publicKey: { ...jwk, kid, use: 'sig' },
  };
};

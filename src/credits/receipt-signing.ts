import type { z } from 'zod';
import type { jwksSchema } from '../contract/receipts.ts';

/** A public key as a JWK (RFC 8037). */
export type PublicKey = Readonly<z.output<typeof jwksSchema>['keys'][number]>;

/** Signs a payload; a compact JWS. */
export type SignReceipt = (payload: string) => Promise<string>;

/** The key of receipts, and every public one that ever signed them. */
export type ReceiptSigning = { readonly sign: SignReceipt; readonly publicKeys: () => Promise<readonly PublicKey[]> };

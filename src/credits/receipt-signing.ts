/** A public key as a JWK (RFC 8037). */
export type PublicKey = {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  /** Its thumbprint, RFC 7638. */
  readonly kid: string;
  readonly use: 'sig';
};

/** Signs a payload; a compact JWS. */
export type SignReceipt = (payload: string) => Promise<string>;

/** The key of receipts, and every public one that ever signed them. */
export type ReceiptSigning = { readonly sign: SignReceipt; readonly publicKeys: () => Promise<readonly PublicKey[]> };

import { createPrivateKey } from 'node:crypto';
import { receiptSigner } from '../adapters/jose/receipt-signer.ts';
import { receiptKeys } from '../adapters/postgres/receipt-keys-postgres.ts';
import type { Config } from '../config.ts';
import type { ReceiptSigning } from '../credits/receipt-signing.ts';
import { keyOfSeed } from '../tlog/note.ts';
import type { ApplicationCore } from './application-core.ts';

/** Opens the key of receipts, that of a file or one derived from SECRET_KEY; it is published before it signs. */
export const openReceipts = (
  { receipts }: Pick<Config, 'receipts'>,
  { pool, secrets }: Pick<ApplicationCore, 'pool' | 'secrets'>,
): ReceiptSigning => {
  const { publish, published } = receiptKeys(pool);
  const open = async () => {
    const key =
      receipts.key === null ? keyOfSeed(secrets.ring('receipts').current.bytes) : createPrivateKey(receipts.key);
    const signer = await receiptSigner(key);
    await publish(signer.publicKey);
    return signer;
  };
  let opened: ReturnType<typeof open> | null = null;
  const signer = () => {
    opened ??= open().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  return {
    sign: async (payload) => (await signer()).sign(payload),
    publicKeys: async () => {
      await signer();
      return await published();
    },
  };
};

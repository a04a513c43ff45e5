import type { Pool } from 'pg';
import type { PublicKey } from '../../credits/receipt-signing.ts';

/** The public keys of receipts, kept for ever. */
export const receiptKeys = (pool: Pool) => ({
  publish: async ({ kid, ...jwk }: PublicKey): Promise<void> => {
    await pool.query('INSERT INTO receipt_keys (kid, jwk) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      kid,
      JSON.stringify({ ...jwk, kid }),
    ]);
  },
  /** The newest first. */
  published: async (): Promise<readonly PublicKey[]> => {
    const { rows } = await pool.query<{ jwk: PublicKey }>(
      'SELECT jwk FROM receipt_keys ORDER BY first_used_at DESC, kid',
    );
    return rows.map(({ jwk }) => jwk);
  },
});

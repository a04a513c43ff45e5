import type { EventLog } from '../eventlog/event-log.ts';
import { type KeyCreated, streamOf } from '../keys/key.ts';
import { isScope, type KeyView, type Queries } from '../queries.ts';

/**
 * A new key as its owner sees it. Its secret is in the same response and is shown once, so the response
 * does not depend on the read model: while that lags, the event of the key provides the same fields.
 */
export const viewKeyWith =
  (queries: Pick<Queries, 'keys'>, log: Pick<EventLog, 'read'>) =>
  async (accountId: string, keyId: string): Promise<KeyView> => {
    const listed = (await queries.keys(accountId)).find((key) => key.keyId === keyId);
    if (listed !== undefined) return listed;
    const [created] = await log.read<KeyCreated>(streamOf(keyId), { limit: 1 });
    if (created === undefined) throw new Error(`${keyId} was made and is not in the log`);
    const { name, prefix, scopes, capCredits, expiresAt, at } = created.data;
    return {
      keyId,
      name,
      prefix,
      scopes: scopes.filter(isScope),
      capCredits,
      expiresAt,
      rolledTo: null,
      createdAt: at,
      lastUsedAt: null,
      revokedAt: null,
      creditsUsed: 0,
    };
  };

import { Refusal } from '../kernel/refusal.ts';
import { semaphore } from '../kernel/semaphore.ts';

/** Runs a query whose duration grows with the history or the library of its account. */
export type LongReads = <Rows>(accountId: string, read: () => Promise<Rows>) => Promise<Rows>;

/** Queries of one account, and of this process, that run or wait at once. */
const mostAtOnce = { account: 200, process: 1_000 } as const;
const fullWaitS = 5;

/**
 * Queries of one account run one after another, those of all accounts on all connections but one: neither a large account nor
 * several can occupy the connections of short queries. A query that runs must not start another one here: it would wait for
 * itself. Refusals: RATE_LIMITED, SERVICE_UNAVAILABLE where too many wait.
 */
export const longReads = ({ connections }: { readonly connections: number }): LongReads => {
  const turns = semaphore({ total: Math.max(1, connections - 1), perKey: 1 });
  return async (accountId, read) => {
    if (turns.load(accountId) >= mostAtOnce.account) {
      const limit = mostAtOnce.account;
      const message = `This account has ${limit} lists, reports and searches in progress, which is the maximum.`;
      throw new Refusal('RATE_LIMITED', message, { policy: 'account_reads', limit }, fullWaitS);
    }
    if (turns.load() >= mostAtOnce.process) {
      throw new Refusal(
        'SERVICE_UNAVAILABLE',
        'Too many lists, reports and searches are in progress.',
        null,
        fullWaitS,
      );
    }
    using _ = await turns.acquire(undefined, accountId);
    return await read();
  };
};

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Refusal } from '#src/kernel/refusal.ts';
import { longReads } from '#src/queries/long-reads.ts';

/** Reads that run until they are told to end, in the order in which they began. */
const heldReads = () => {
  const begun: { readonly accountId: string; readonly end: () => void }[] = [];
  const read = longReads({ connections: 4 });
  const start = (accountId: string) =>
    read(accountId, () => new Promise<string>((resolve) => begun.push({ accountId, end: () => resolve(accountId) })));
  return { start, begun };
};
const turn = () => new Promise((resolve) => setImmediate(resolve));
/** Why a read was refused; undefined: it waits. */
const refusalOf = (read: Promise<unknown>) => Promise.race([read.catch((error: unknown) => error), turn()]);

describe('long reads', () => {
  it('of one account run one after another, those of all accounts on all connections but one', async () => {
    const { start, begun } = heldReads();
    const reads = ['a', 'a', 'a', 'b', 'c', 'd'].map(start);
    await turn();
    const running = () => begun.map(({ accountId }) => accountId).join('');
    assert.equal(running(), 'abc');
    begun[0]?.end();
    await turn();
    for (let next = 1; next < reads.length; next += 1) {
      begun[next]?.end();
      await turn();
    }
    assert.equal(running(), 'abcada', 'accounts take turns');
    assert.deepEqual(await Promise.all(reads), ['a', 'a', 'a', 'b', 'c', 'd']);
  });

  it('are refused beyond two hundred of an account and a thousand of the process, and admitted again after those', async () => {
    const { start, begun } = heldReads();
    const startMany = (accountId: string) => Array.from({ length: 200 }, () => start(accountId));
    const first = startMany('a');
    const { code, details, retryAfterS } = (await refusalOf(start('a'))) as Refusal;
    assert.deepEqual([code, details, retryAfterS], ['RATE_LIMITED', { policy: 'account_reads', limit: 200 }, 5]);
    const others = Array.from({ length: 4 }, (_, n) => startMany(`b${n}`)).flat();
    assert.equal(((await refusalOf(start('c'))) as Refusal).code, 'SERVICE_UNAVAILABLE');
    for (let next = 0; next < 1_000; next += 1) {
      await turn();
      begun[next]?.end();
    }
    await Promise.all([...first, ...others]);
    const again = start('a');
    await turn();
    begun.at(-1)?.end();
    assert.equal(await again, 'a');
  });

  it('that fail make room for the next', async () => {
    const read = longReads({ connections: 1 });
    await assert.rejects(
      read('a', () => Promise.reject(new Error('no connection'))),
      /no connection/,
    );
    assert.equal(await read('a', async () => 1), 1);
  });
});

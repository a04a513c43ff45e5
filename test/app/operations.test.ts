import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemCall } from '#src/app/foundation.ts';
import { operationsOn } from '#src/app/operations.ts';
import { startTestApp } from '#test/support/app.ts';

const charge = { what: 'video', operation: 'raw', amount: 1, requests: 1, videoId: null } as const;

describe('the verification of an account', () => {
  it('finds no fault in an account that is charged meanwhile', async () => {
    await using app = await startTestApp();
    const { foundation } = app;
    const { accountId } = await app.createAccount();
    /** Whoever waits for a read model finds the account charged once more, and the model up to date with that. */
    const busy = {
      ...foundation,
      caughtUp: async (model: string, _: bigint) => {
        const { lastPosition } = await foundation.ledger.charge(systemCall(accountId), [charge]);
        await foundation.caughtUp(model, lastPosition);
      },
    };

    for (let n = 0; n < 3; n += 1) {
      const { signal } = new AbortController();
      const { events, problems } = await operationsOn(busy).verify({ accountId }, { signal });
      assert.deepEqual(problems, []);
      assert.equal(events, 3 + n, 'the opening, the grant and the charges until then');
    }
  });
});

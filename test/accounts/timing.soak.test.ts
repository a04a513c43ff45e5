import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCredentials } from '#src/adapters/passwords/argon2.ts';
import { accountsOnPostgres, outcomeOf, shippedHashing, shippedSettings } from '#test/support/accounts.ts';

const tries = 60;
const endless = { limit: 1_000_000, windowMs: 1, firstWaitMs: 0, longestWaitMs: 0 };

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Work done by all threads of this process (ms): the time that a busy machine adds is not in it. */
const workMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

describe('the time a refused sign-in takes', () => {
  // S18: an unknown mailbox against a wrong password
  it('does not depend on whether the mailbox has an account', async () => {
    const settings = {
      ...shippedSettings,
      signIn: { perMailboxAndNetwork: endless, perMailbox: endless, perNetwork: endless },
    };
    const passwords = await openCredentials({ pepper: Buffer.alloc(32, 9), hashing: shippedHashing });
    await using accounts = await accountsOnPostgres({ settings, passwords });
    await accounts.register('known@example.org');
    const timeOf = async (email: string): Promise<number> => {
      const start = workMs();
      assert.equal(await outcomeOf(accounts.logIn(email, 'wrong password')), 'INVALID_CREDENTIALS');
      return workMs() - start;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let n = 0; n < tries; n += 1) {
      // In turns, so that whatever else the machine does hits both alike.
      known.push(await timeOf('known@example.org'));
      unknown.push(await timeOf('nobody@example.org'));
    }
    const difference = Math.abs(median(known) - median(unknown));
    assert.ok(difference < 5, `the medians differ by ${difference.toFixed(2)} ms`);
  });
});

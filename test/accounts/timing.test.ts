import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultAccountSettings } from '#src/accounts/account-settings.ts';
import { openCredentials } from '#src/adapters/credentials.ts';
import { elapsedMs } from '#src/kernel/clock.ts';
import { accountsOnPostgres, outcomeOf } from '#test/support/accounts.ts';

const tries = 60;
const endless = { limit: 1_000_000, windowMs: 1, firstWaitMs: 0, longestWaitMs: 0 };

/** The work itself: what a busy machine adds lies above it. */
const quick = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? Number.NaN;

describe('the time a refused sign-in takes', () => {
  it('tells nothing about whether the mailbox has an account [S18]', async () => {
    const settings = {
      ...defaultAccountSettings,
      signIn: { perMailbox: endless, perNetwork: endless },
    };
    const passwords = await openCredentials({ pepper: Buffer.alloc(32, 9) });
    await using accounts = await accountsOnPostgres({ settings, passwords });
    await accounts.register('known@example.org');
    const timeOf = async (email: string): Promise<number> => {
      const start = elapsedMs();
      assert.equal(await outcomeOf(accounts.logIn(email, 'wrong password')), 'INVALID_CREDENTIALS');
      return elapsedMs() - start;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let n = 0; n < tries; n += 1) {
      // In turns, so that whatever else the machine does hits both alike.
      known.push(await timeOf('known@example.org'));
      unknown.push(await timeOf('nobody@example.org'));
    }
    const difference = Math.abs(quick(known) - quick(unknown));
    assert.ok(difference < 5, `the quick ones differ by ${difference.toFixed(2)} ms`);
  });
});

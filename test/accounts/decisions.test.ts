import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeciderSpecification } from '@event-driven-io/emmett';
import * as account from '#src/accounts/account.ts';
import * as mailbox from '#src/accounts/email-address.ts';
import { type EraseAccount, decide as erase } from '#src/accounts/erase-account.ts';
import { type RegisterAccount, decide as register } from '#src/accounts/registration/register-account.ts';
import { sessionsBeyondLimit } from '#src/accounts/sign-in/log-in.ts';
import { Refusal } from '#src/kernel/refusal.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const at = now.toISOString();
const accountId = 'acc_1';

const refusedWith = (code: string) => (error: Error) => error instanceof Refusal && error.code === code;

const registered: account.AccountRegistered = { type: 'AccountRegistered', data: { accountId, by: 'owner', at } };
const erased: account.AccountErased = { type: 'AccountErased', data: { accountId, at } };

describe('registering', () => {
  const command: RegisterAccount = { type: 'RegisterAccount', data: { accountId, by: 'owner' }, metadata: { now } };

  it('claims the mailbox and creates the account without personal data', () => {
    assert.deepEqual(register(command, mailbox.initialState()), [
      { type: 'MailboxClaimed', data: { accountId, at } },
      registered,
    ]);
  });

  it('is refused for a mailbox that has an account', () => {
    const claimed = mailbox.evolve(mailbox.initialState(), {
      type: 'MailboxClaimed',
      data: { accountId: 'acc_0', at },
    });
    assert.throws(() => register(command, claimed), refusedWith('INVALID_REQUEST'));
    assert.throws(() => register(command, claimed), /^Refusal: The registration could not/);
    const byOperator = { ...command, data: { ...command.data, by: 'operator' } } as const;
    assert.throws(() => register(byOperator, claimed), /This mailbox has an account, or had one less than/);
  });
});

describe('erasing an account', () => {
  const given = DeciderSpecification.for<EraseAccount, account.AccountEvent, account.State>({
    decide: erase,
    evolve: account.evolve,
    initialState: account.initialState,
  });
  const command: EraseAccount = { type: 'EraseAccount', data: { accountId }, metadata: { now } };

  it('is recorded once', () => given([registered]).when(command).then([erased]));

  it('is refused when the account is already erased', () =>
    given([registered, erased]).when(command).thenThrows(refusedWith('UNAUTHENTICATED')));

  it('is refused for an account that does not exist', () =>
    given([]).when(command).thenThrows(refusedWith('UNAUTHENTICATED')));
});

describe('a sign-in beyond the limit of sessions', () => {
  it('ends the oldest session', () => {
    assert.deepEqual(sessionsBeyondLimit(['c', 'b', 'a'], 3), ['a']);
    assert.deepEqual(sessionsBeyondLimit(['b', 'a'], 3), []);
  });
});

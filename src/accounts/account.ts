import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { type EventOf, event } from '../eventlog/event-schema.ts';
import { Refusal } from '../kernel/refusal.ts';

/**
 * One stream per account. What happens often (sign-ins) has streams of its own, so this one stays short:
 * limits on what its owner and a forgotten password may change allow some 100 events a day.
 */
export const streamOf = (accountId: string): string => `account-${accountId}`;

const ofAccount = { accountId: field.accountId, at: field.at };

export const accountEvents = {
  AccountRegistered: event(
    'An account was created. Its personal data are stored in `account_profiles`, never in the log.',
    { accountId: field.accountId, by: z.enum(['owner', 'operator']).describe('who created it'), at: field.at },
  ),
  PasswordReplaced: event('The password was changed; this ended every session of the account.', ofAccount),
  PasswordResetRequested: event(
    'A password reset link was requested, by a visitor who entered the mail address of the account or by an operator.',
    { accountId: field.accountId, by: z.enum(['owner', 'operator']).describe('who requested it'), at: field.at },
  ),
  PasswordReset: event(
    'A new password was set through a reset link; this ended every session of the account.',
    ofAccount,
  ),
  MailboxProofRequested: event('The owner requested another link for verifying the mailbox.', ofAccount),
  MailboxProved: event(
    'The mailbox was verified through a link sent to it; an account that was waiting for this gets its plan.',
    ofAccount,
  ),
  PersonalDataExported: event('The owner exported all personal data.', ofAccount),
  AccountErased: event(
    'The personal data were erased, and sign-in is no longer possible; keys and webhooks ended. The books are kept.',
    ofAccount,
  ),
  AccountSuspended: event(
    'An operator suspended the account: its keys are refused, and sign-in is not possible. Running jobs continue.',
    ofAccount,
  ),
  AccountResumed: event('An operator ended the suspension: keys and sign-in work again.', ofAccount),
};

export type AccountEvent = EventOf<typeof accountEvents>;
export type AccountRegistered = EventOf<typeof accountEvents, 'AccountRegistered'>;
export type PasswordResetRequested = EventOf<typeof accountEvents, 'PasswordResetRequested'>;
export type AccountErased = EventOf<typeof accountEvents, 'AccountErased'>;

/** An event that says nothing but that it happened. */
export type PlainEvent = Exclude<AccountEvent, AccountRegistered | PasswordResetRequested>;

/** What keys, tokens and passwords of a suspended account are answered. */
export const suspended = (): Refusal =>
  new Refusal('ACCOUNT_SUSPENDED', 'This account is suspended. Contact the operator.');

export type State = { readonly status: 'unknown' | 'open' | 'suspended' | 'erased' };

export const initialState = (): State => ({ status: 'unknown' });

export const evolve = (state: State, { type }: AccountEvent): State => {
  switch (type) {
    case 'AccountRegistered':
    case 'AccountResumed':
      return { status: 'open' };
    case 'AccountSuspended':
      return { status: 'suspended' };
    case 'AccountErased':
      return { status: 'erased' };
    case 'PasswordReplaced':
    case 'PasswordResetRequested':
    case 'PasswordReset':
    case 'MailboxProofRequested':
    case 'MailboxProved':
    case 'PersonalDataExported':
      return state;
  }
};

import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { type EventOf, event } from '../eventlog/event-schema.ts';

/**
 * One stream per account. What happens often (sign-ins) has streams of its own, so this one stays short:
 * limits on what its owner and a forgotten password may change allow some 100 events a day.
 */
export const streamOf = (accountId: string): string => `account-${accountId}`;

export const accountEvents = {
  AccountRegistered: event('An account exists. Who is behind it stands in `account_profiles`, never in the log.', {
    accountId: field.accountId,
    by: z.enum(['owner', 'operator']).describe('who did it'),
    at: field.at,
  }),
  PasswordReplaced: event('The password is another one; every session of the account ended with it.', {
    accountId: field.accountId,
    at: field.at,
  }),
  PasswordResetRequested: event(
    'Somebody asked for a link that sets a new password: whoever gave the address of the owner, or an operator.',
    {
      accountId: field.accountId,
      by: z.enum(['owner', 'operator']).describe('who did it'),
      at: field.at,
    },
  ),
  PasswordReset: event('A link set a new password; every session of the account ended with it.', {
    accountId: field.accountId,
    at: field.at,
  }),
  MailboxProofRequested: event('The owner asked for another link that proves the mailbox.', {
    accountId: field.accountId,
    at: field.at,
  }),
  MailboxProved: event(
    'The owner opened a link that was sent to the mailbox: an account that had to wait for it gets its plan.',
    {
      accountId: field.accountId,
      at: field.at,
    },
  ),
  PersonalDataExported: event('The owner took a copy of everything that is kept about the person.', {
    accountId: field.accountId,
    at: field.at,
  }),
  AccountErased: event(
    'The personal data are gone and nobody signs in any more; keys and webhooks ended with it. The books stay.',
    {
      accountId: field.accountId,
      at: field.at,
    },
  ),
  AccountSuspended: event(
    'An operator suspended the account: its keys are refused and nobody signs in. Jobs that are under way go on.',
    {
      accountId: field.accountId,
      at: field.at,
    },
  ),
  AccountResumed: event('The suspension is over: keys work and owners sign in as before.', {
    accountId: field.accountId,
    at: field.at,
  }),
};

export type AccountEvent = EventOf<typeof accountEvents>;
export type AccountRegistered = EventOf<typeof accountEvents, 'AccountRegistered'>;
export type PasswordReplaced = EventOf<typeof accountEvents, 'PasswordReplaced'>;
export type PasswordResetRequested = EventOf<typeof accountEvents, 'PasswordResetRequested'>;
export type PasswordReset = EventOf<typeof accountEvents, 'PasswordReset'>;
export type MailboxProofRequested = EventOf<typeof accountEvents, 'MailboxProofRequested'>;
export type MailboxProved = EventOf<typeof accountEvents, 'MailboxProved'>;
export type PersonalDataExported = EventOf<typeof accountEvents, 'PersonalDataExported'>;
export type AccountErased = EventOf<typeof accountEvents, 'AccountErased'>;
export type AccountSuspended = EventOf<typeof accountEvents, 'AccountSuspended'>;
export type AccountResumed = EventOf<typeof accountEvents, 'AccountResumed'>;

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

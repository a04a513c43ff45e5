import type { Event } from '@event-driven-io/emmett';

/**
 * One stream per account. What happens often (sign-ins) has streams of its own, so this one stays short:
 * limits on what its owner and a forgotten password may change allow some 40 events a day.
 */
export const streamOf = (accountId: string): string => `account-${accountId}`;

/** An account exists. Who is behind it stands in `account_profiles`, never in the log. */
export type AccountRegistered = Event<
  'AccountRegistered',
  { accountId: string; by: 'owner' | 'operator'; at: string }
>;

/** The password is another one; every session of the account ended with it. */
export type PasswordReplaced = Event<'PasswordReplaced', { accountId: string; at: string }>;

/** Somebody asked for a link that sets a new password: whoever gave the address of the owner, or an operator. */
export type PasswordResetRequested = Event<
  'PasswordResetRequested',
  { accountId: string; by: 'owner' | 'operator'; at: string }
>;

/** A link set a new password; every session of the account ended with it. */
export type PasswordReset = Event<'PasswordReset', { accountId: string; at: string }>;

/** The owner asked for another link that proves the mailbox. */
export type MailboxProofRequested = Event<
  'MailboxProofRequested',
  { accountId: string; at: string }
>;

/** The owner opened a link that was sent to the mailbox: an account that had to wait for it gets its plan. */
export type MailboxProved = Event<'MailboxProved', { accountId: string; at: string }>;

/** The owner took a copy of everything that is kept about the person. */
export type PersonalDataExported = Event<'PersonalDataExported', { accountId: string; at: string }>;

/** The personal data are gone and nobody signs in any more; keys and webhooks ended with it. The books stay. */
export type AccountErased = Event<'AccountErased', { accountId: string; at: string }>;

/** An operator suspended the account: its keys are refused and nobody signs in. Jobs that are under way go on. */
export type AccountSuspended = Event<'AccountSuspended', { accountId: string; at: string }>;

/** The suspension is over: keys work and owners sign in as before. */
export type AccountResumed = Event<'AccountResumed', { accountId: string; at: string }>;

export type AccountEvent =
  | AccountRegistered
  | PasswordReplaced
  | PasswordResetRequested
  | PasswordReset
  | MailboxProofRequested
  | MailboxProved
  | PersonalDataExported
  | AccountErased
  | AccountSuspended
  | AccountResumed;

/** The types of the events of this file, in the order of `docs/events.md`. */
export const eventTypes = {
  AccountRegistered: true,
  PasswordReplaced: true,
  PasswordResetRequested: true,
  PasswordReset: true,
  MailboxProofRequested: true,
  MailboxProved: true,
  PersonalDataExported: true,
  AccountErased: true,
  AccountSuspended: true,
  AccountResumed: true,
} satisfies Readonly<Record<AccountEvent['type'], true>>;

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

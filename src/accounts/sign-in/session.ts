import { z } from 'zod';
import * as field from '../../contract/event-fields.ts';
import { type EventOf, event } from '../../eventlog/event-schema.ts';

/** One stream per session: two events at most. */
export const streamOf = (sessionId: string): string => `session-${sessionId}`;

const sessionEnd = z
  .enum(['signed_out', 'revoked', 'displaced', 'password_replaced', 'account_erased', 'suspended'])
  .meta({ id: 'SessionEnd', description: 'why the session ended' });

export type SessionEnd = z.output<typeof sessionEnd>;

export const sessionEvents = {
  SessionStarted: event('An owner signed in.', {
    accountId: field.accountId,
    sessionId: field.sessionId,
    failuresBefore: z.int().describe('wrong passwords for this mailbox since the last successful sign-in'),
    at: field.at,
  }),
  SessionEnded: event(
    'A session ended before it expired. Expiry is no event; nor is the end of a session that started while the password was being changed or the account erased.',
    { accountId: field.accountId, sessionId: field.sessionId, why: sessionEnd, at: field.at },
  ),
};

export type SessionEvent = EventOf<typeof sessionEvents>;
export type SessionStarted = EventOf<typeof sessionEvents, 'SessionStarted'>;
export type SessionEnded = EventOf<typeof sessionEvents, 'SessionEnded'>;

export type State = { readonly status: 'unknown' | 'open' | 'ended' };

export const initialState = (): State => ({ status: 'unknown' });

export const evolve = (_state: State, { type }: SessionEvent): State => {
  switch (type) {
    case 'SessionStarted':
      return { status: 'open' };
    case 'SessionEnded':
      return { status: 'ended' };
  }
};

/** Lifetimes of sessions in milliseconds. */
export type SessionSettings = {
  readonly idleMs: number;
  readonly absoluteMs: number;
  /** Minimum time between two prolongations, so that not every request writes. */
  readonly renewAfterMs: number;
  readonly maxPerAccount: number;
};

/** The idle timeout of a session used at `now`, never after its absolute end. */
export const idleEnd = (now: Date, endsAt: Date, { idleMs }: SessionSettings): Date =>
  new Date(Math.min(now.getTime() + idleMs, endsAt.getTime()));

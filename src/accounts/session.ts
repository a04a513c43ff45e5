import type { Event } from '@event-driven-io/emmett';

/** One stream per session: two events at most. */
export const streamOf = (sessionId: string): string => `session-${sessionId}`;

/** Somebody signed in. `failuresBefore`: wrong passwords for this mailbox since the last time it went well. */
export type SessionStarted = Event<
  'SessionStarted',
  { accountId: string; sessionId: string; failuresBefore: number; at: string }
>;

export type SessionEnd =
  | 'signed_out'
  | 'revoked'
  | 'displaced'
  | 'password_replaced'
  | 'account_erased'
  | 'suspended';

/**
 * A session ended before its time. One that runs out leaves no event, nor does one that began in the moment in which
 * the password was replaced or the account erased.
 */
export type SessionEnded = Event<
  'SessionEnded',
  { accountId: string; sessionId: string; why: SessionEnd; at: string }
>;

export type SessionEvent = SessionStarted | SessionEnded;

/** The types of the events of this file, in the order of `docs/events.md`. */
export const eventTypes = {
  SessionStarted: true,
  SessionEnded: true,
} satisfies Readonly<Record<SessionEvent['type'], true>>;

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

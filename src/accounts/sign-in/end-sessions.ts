import { createHash } from 'node:crypto';
import type { Append } from '../../eventlog/event-log.ts';
import { uuidOf } from '../../kernel/ids.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { AccountParts } from '../account-parts.ts';
import type { Origin, Session } from '../account-store.ts';
import { appendAll, appendOf, byOwner, type Cause, retryOnConflict } from '../append-events.ts';
import { type SessionEnd, type SessionEnded, streamOf } from './session.ts';

/** The end events of these open sessions. A session that ends meanwhile makes the append a conflict. */
export const endingsOf = (
  sessions: readonly Pick<Session, 'accountId' | 'sessionId'>[],
  why: SessionEnd,
  now: Date,
  cause: Cause,
): readonly Append[] =>
  sessions.map(({ accountId, sessionId }) => {
    const ended: SessionEnded = { type: 'SessionEnded', data: { accountId, sessionId, why, at: now.toISOString() } };
    return appendOf(streamOf(sessionId), 1n, ended, { id: uuidOf(`session-ended|${sessionId}`), cause });
  });

/** SHA-256: a token has 256 random bits, so nothing slower is needed. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

type Deps = Pick<AccountParts, 'log' | 'store' | 'clock'>;

/** Ends the session of this token, if it has one. */
export const logOut =
  (deps: Deps) =>
  async (input: {
    readonly token: string;
    readonly origin: Origin;
    readonly cause: Omit<Cause, 'actor'>;
  }): Promise<void> => {
    await retryOnConflict(async () => {
      const session = await deps.store.findSession(tokenHash(input.token), deps.clock());
      if (session === null) return 'appended';
      const { cause } = byOwner(session, input.cause);
      return endSession(deps, { session, why: 'signed_out', cause, origin: input.origin });
    });
  };

/** Ends a session of the account. Throws NOT_FOUND for a session of another account. */
export const revokeSession =
  (deps: Deps) =>
  async (input: { readonly accountId: string; readonly sessionId: string; readonly cause: Cause }): Promise<void> => {
    await retryOnConflict(async () => {
      const open = await deps.store.openSessions(input.accountId, deps.clock());
      const session = open.find(({ sessionId }) => sessionId === input.sessionId);
      if (session === undefined) throw new Refusal('NOT_FOUND', 'There is no such session.');
      return endSession(deps, { session, why: 'revoked', cause: input.cause, origin: null });
    });
  };

/** Ends an open session; 'conflict' when it has ended already. */
export const endSession = (
  { log, store, clock }: Deps,
  ending: {
    readonly session: Session;
    readonly why: SessionEnd;
    readonly cause: Cause;
    /** The address of the request, stored for a while; null: not stored. */
    readonly origin: Origin | null;
  },
): ReturnType<typeof appendAll> => {
  const { session, why, cause, origin } = ending;
  const now = clock();
  return appendAll(log, endingsOf([session], why, now, cause), async (transaction) => {
    const writes = store.writesIn(transaction);
    await writes.deleteSessions([session.sessionId]);
    if (origin !== null) {
      const { accountId } = session;
      const { ip, userAgent } = origin;
      await writes.noteOrigin({ accountId, requestId: cause.requestId, ip, userAgent, at: now });
    }
    return 'appended';
  });
};

import type { Command } from '@event-driven-io/emmett';
import type { EventLog } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId, uuidOf } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { AccountStore, Credential, Origin, Profile, Session } from './account-store.ts';
import { appendAll, type Cause, toNewEvent } from './append-events.ts';
import { type Checked, type PasswordCheck, wrongCredentials } from './check-password.ts';
import { endSession, tokenHash } from './end-sessions.ts';
import { mailboxHash, parseMailbox } from './mailbox.ts';
import { idleEnd, type SessionSettings, type SessionStarted, streamOf } from './session.ts';

export type LogIn = Command<
  'LogIn',
  { accountId: string; sessionId: string; failuresBefore: number },
  { now: Date }
>;

/** The first event of a session. */
export const decide = ({ data, metadata }: LogIn): SessionStarted => ({
  type: 'SessionStarted',
  data: {
    accountId: data.accountId,
    sessionId: data.sessionId,
    failuresBefore: data.failuresBefore,
    at: metadata.now.toISOString(),
  },
});

/** The oldest sessions beyond `max` − 1, which end when a session begins. `open` holds the newest first. */
export const sessionsBeyondLimit = <S>(open: readonly S[], max: number): readonly S[] =>
  open.slice(Math.max(0, max - 1));

/** A new session. `token` goes into the cookie; only its hash is stored. */
export type SignedIn = {
  readonly token: string;
  readonly session: Session;
  readonly profile: Profile;
};

type Deps = {
  readonly log: Pick<EventLog, 'append'>;
  readonly store: Pick<AccountStore, 'findByMailbox' | 'findSession' | 'openSessions' | 'writesIn'>;
  readonly checkPassword: PasswordCheck;
  readonly sessions: SessionSettings;
  readonly mailboxKey: Uint8Array;
  readonly clock: Clock;
  readonly newToken: () => string;
};

export type SignIn = {
  readonly email: string;
  readonly password: string;
  /** The token of the session that the caller had; that session ends. */
  readonly formerToken: string | null;
  /** The rate limit key of the address. */
  readonly network: string;
  readonly origin: Origin;
  readonly cause: Omit<Cause, 'actor'>;
};

/** Signs in. An unknown mailbox and a wrong password take the same time and get the same refusal. */
export const logIn =
  (deps: Deps) =>
  async (signIn: SignIn): Promise<SignedIn> => {
    const address = parseMailbox(signIn.email)?.canonical ?? signIn.email;
    const mailbox = mailboxHash(address, deps.mailboxKey);
    const checked = await deps.checkPassword({
      bucket: `mailbox ${mailbox}`,
      network: signIn.network,
      password: signIn.password,
      find: () => deps.store.findByMailbox(mailbox),
    });
    refuseSuspended(checked.credential);
    const token = deps.newToken();
    const session = newSession(deps, checked.credential.accountId, signIn.origin);
    const actor = { type: 'user', id: checked.credential.userId } as const;
    const cause: Cause = { ...signIn.cause, actor };
    await begin(deps, cause, checked, session, tokenHash(token));
    await endSurplusSessions(deps, cause, session, signIn.formerToken);
    const { passwordHash: _, ...profile } = checked.credential;
    return { token, session, profile };
  };

const refuseSuspended = ({ suspendedAt }: Credential): void => {
  if (suspendedAt === null) return;
  throw new Refusal('ACCOUNT_SUSPENDED', 'This account is suspended. Ask the operator.');
};

const newSession = ({ clock, sessions }: Deps, accountId: string, origin: Origin): Session => {
  const now = clock();
  const endsAt = new Date(now.getTime() + sessions.absoluteMs);
  return {
    sessionId: newId('ses'),
    accountId,
    startedAt: now,
    renewedAt: now,
    idleEndsAt: idleEnd(now, endsAt, sessions),
    endsAt,
    ip: origin.ip,
    userAgent: origin.userAgent,
  };
};

const begin = async (
  { log, store }: Deps,
  cause: Cause,
  { credential, rehashed, failuresBefore }: Checked,
  session: Session,
  tokenSha256: Buffer,
): Promise<void> => {
  const { accountId, sessionId, startedAt: now, ip, userAgent } = session;
  const data = { accountId, sessionId, failuresBefore };
  const started = decide({ type: 'LogIn', data, metadata: { now } });
  const beginning = {
    stream: streamOf(sessionId),
    expected: 0n,
    events: [toNewEvent(started, uuidOf(`session-started|${sessionId}`), cause)],
  };
  await appendAll(log, [beginning], async (transaction) => {
    const writes = store.writesIn(transaction);
    const locked = await writes.lock(accountId);
    // The password was replaced, or the account erased, after the check.
    if (locked?.passwordHash !== credential.passwordHash) throw wrongCredentials();
    refuseSuspended(locked);
    if (rehashed !== null) await writes.setPassword(accountId, rehashed);
    await writes.insertSession({ ...session, tokenSha256 });
    await writes.noteOrigin({ accountId, requestId: cause.requestId, ip, userAgent, at: now });
    return 'appended';
  });
};

/**
 * Ends the former session of the caller and the oldest sessions beyond the maximum. It runs after the new session is
 * stored, so that concurrent sign-ins do not conflict; the last one sees all sessions.
 */
const endSurplusSessions = async (
  deps: Deps,
  cause: Cause,
  { accountId, sessionId, startedAt: now }: Session,
  formerToken: string | null,
): Promise<void> => {
  const { store, sessions } = deps;
  const former = formerToken === null ? null : await store.findSession(tokenHash(formerToken), now);
  const open = await store.openSessions(accountId, now);
  const others = open.filter((one) => ![sessionId, former?.sessionId].includes(one.sessionId));
  const displaced = sessionsBeyondLimit(others, sessions.maxPerAccount);
  for (const session of former === null ? displaced : [former, ...displaced]) {
    // 'conflict': another request has ended it.
    await endSession(deps, { session, why: 'displaced', cause, origin: null });
  }
};

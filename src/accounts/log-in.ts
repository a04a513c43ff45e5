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

/** Sessions that make room for one more: the oldest ones beyond `max` − 1. `open` holds the newest first. */
export const displacedBy = <S>(open: readonly S[], max: number): readonly S[] =>
  open.slice(Math.max(0, max - 1));

/** A session just begun. `token` goes into the cookie and is known nowhere else. */
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
  /** The token that the caller brought along: its session ends. */
  readonly formerToken: string | null;
  /** The name under which the address is counted. */
  readonly network: string;
  readonly origin: Origin;
  readonly cause: Omit<Cause, 'actor'>;
};

/** Signs in. An unknown mailbox and a wrong password are one refusal, after the same work. */
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
    await makeRoom(deps, cause, session, signIn.formerToken);
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
    // The password was replaced, or the account erased, after it had been checked.
    if (locked?.passwordHash !== credential.passwordHash) throw wrongCredentials();
    refuseSuspended(locked);
    if (rehashed !== null) await writes.setPassword(accountId, rehashed);
    await writes.insertSession({ ...session, tokenSha256 });
    await writes.noteOrigin({ accountId, requestId: cause.requestId, ip, userAgent, at: now });
    return 'appended';
  });
};

/**
 * Ends the session that the caller brought along and the oldest ones beyond the maximum. It comes after the
 * beginning: sign-ins at the same moment do not stand in each other's way, and whoever is last sees all.
 */
const makeRoom = async (
  deps: Deps,
  cause: Cause,
  { accountId, sessionId, startedAt: now }: Session,
  formerToken: string | null,
): Promise<void> => {
  const { store, sessions } = deps;
  const former = formerToken === null ? null : await store.findSession(tokenHash(formerToken), now);
  const open = await store.openSessions(accountId, now);
  const others = open.filter((one) => ![sessionId, former?.sessionId].includes(one.sessionId));
  const displaced = displacedBy(others, sessions.maxPerAccount);
  for (const session of former === null ? displaced : [former, ...displaced]) {
    // 'conflict': somebody else has ended it already.
    await endSession(deps, { session, why: 'displaced', cause, origin: null });
  }
};

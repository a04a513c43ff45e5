import { newId, newToken, uuidOf } from '../../kernel/ids.ts';
import { suspended } from '../account.ts';
import type { AccountParts, SignInLimits } from '../account-parts.ts';
import type { Credential, Origin, Profile, Session } from '../account-store.ts';
import { appendAll, appendOf, byOwner, type Cause } from '../append-events.ts';
import { canonicalOf, mailboxHash, mailboxHashes } from '../email-address.ts';
import { type CredentialMatch, type FailureCounter, type PasswordCheck, wrongCredentials } from './check-password.ts';
import { deviceToken, readDeviceToken } from './device-cookie.ts';
import { endSession, tokenHash } from './end-sessions.ts';
import { idleEnd, type SessionStarted, streamOf } from './session.ts';

/** The oldest sessions beyond `max` − 1, which end when a session begins. `open` holds the newest first. */
export const sessionsBeyondLimit = <S>(open: readonly S[], max: number): readonly S[] =>
  open.slice(Math.max(0, max - 1));

/** A new session. `token` goes into the cookie; only its hash is stored. */
export type SignedIn = {
  readonly token: string;
  readonly session: Session;
  readonly profile: Profile;
  /** The value of the `device` cookie. */
  readonly deviceToken: string;
};

type Deps = Pick<AccountParts, 'log' | 'store' | 'settings' | 'deviceKeys' | 'mailboxKeys' | 'clock'> & {
  readonly checkPassword: PasswordCheck;
};

export type SignIn = {
  readonly email: string;
  readonly password: string;
  /** The token of the session that the caller had; that session ends. */
  readonly formerToken: string | null;
  /** The value of the `device` cookie, null without one. */
  readonly deviceToken: string | null;
  /** The rate limit key of the address. */
  readonly network: string;
  readonly origin: Origin;
  readonly cause: Omit<Cause, 'actor'>;
};

/**
 * Signs in. Failures count by mailbox and address together, so that nobody locks an owner out from elsewhere; limits over
 * all addresses and over all mailboxes do not refuse a browser that was signed in to the mailbox before. An unknown mailbox and a wrong password take the same
 * time and get the same refusal.
 */
export const logIn =
  (deps: Deps) =>
  async (signIn: SignIn): Promise<SignedIn> => {
    const address = canonicalOf(signIn.email);
    const mailbox = mailboxHash(address, deps.mailboxKeys.current.bytes);
    const device = readDeviceToken(signIn.deviceToken, address, deps.deviceKeys);
    const checked = await deps.checkPassword({
      ...countersFor(deps.settings.signIn, mailbox, signIn.network, device),
      password: signIn.password,
      find: () => deps.store.findByMailbox(mailboxHashes(address, deps.mailboxKeys)),
    });
    refuseSuspended(checked.credential);
    const token = newToken();
    const session = newSession(deps, checked.credential.accountId, signIn.origin);
    const { cause } = byOwner(checked.credential, signIn.cause);
    await begin(deps, cause, checked, session, tokenHash(token));
    await endSurplusSessions(deps, cause, session, signIn.formerToken);
    const { password: _, ...profile } = checked.credential;
    return { token, session, profile, deviceToken: deviceToken(address, deps.deviceKeys) };
  };

/** The bucket of the failures for one mailbox from one address. */
export const mailboxAndNetwork = (mailboxHash: string, network: string): string =>
  `mailbox ${mailboxHash} network ${network}`;

/** The bucket of the failures for one mailbox from all addresses. */
export const wholeMailbox = (mailboxHash: string): string => `mailbox ${mailboxHash}`;

/** `device`: the id of a browser that was signed in to this mailbox; null: an unknown one. */
const countersFor = (
  { perMailboxAndNetwork, perMailbox, perNetwork }: SignInLimits,
  mailbox: string,
  network: string,
  device: string | null,
): Pick<Parameters<PasswordCheck>[0], 'failures' | 'ways'> => {
  const failures = { bucket: wholeMailbox(mailbox), throttle: perMailbox };
  const unknown: readonly FailureCounter[] = [
    failures,
    { bucket: mailboxAndNetwork(mailbox, network), throttle: perMailboxAndNetwork },
    { bucket: `network ${network}`, throttle: perNetwork, isShared: true },
  ];
  if (device === null) return { failures, ways: [unknown] };
  const known = [{ bucket: `device ${device}`, throttle: perMailboxAndNetwork }];
  return { failures, ways: [known, unknown] };
};

const refuseSuspended = ({ suspendedAt }: Credential): void => {
  if (suspendedAt !== null) throw suspended();
};

const newSession = ({ clock, settings }: Deps, accountId: string, origin: Origin): Session => {
  const now = clock();
  const endsAt = new Date(now.getTime() + settings.sessions.absoluteMs);
  return {
    sessionId: newId('ses'),
    accountId,
    startedAt: now,
    renewedAt: now,
    idleEndsAt: idleEnd(now, endsAt, settings.sessions),
    endsAt,
    ip: origin.ip,
    userAgent: origin.userAgent,
  };
};

const begin = async (
  { log, store }: Deps,
  cause: Cause,
  { credential, rehashed, failuresBefore }: CredentialMatch,
  session: Session,
  tokenSha256: Buffer,
): Promise<void> => {
  const { accountId, sessionId, startedAt: now, ip, userAgent } = session;
  const data = { accountId, sessionId, failuresBefore, at: now.toISOString() };
  const started: SessionStarted = { type: 'SessionStarted', data };
  const id = uuidOf(`session-started|${sessionId}`);
  const beginning = appendOf(streamOf(sessionId), 0n, started, { id, cause });
  await appendAll(log, [beginning], async (transaction) => {
    const writes = store.writesIn(transaction);
    const locked = await writes.lock(accountId);
    // The password was replaced, or the account erased, after the check.
    if (locked?.password.hash !== credential.password.hash) throw wrongCredentials();
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
  const { store, settings } = deps;
  const former = formerToken === null ? null : await store.findSession(tokenHash(formerToken), now);
  const open = await store.openSessions(accountId, now);
  const others = open.filter((one) => ![sessionId, former?.sessionId].includes(one.sessionId));
  const displaced = sessionsBeyondLimit(others, settings.sessions.maxPerAccount);
  for (const session of former === null ? displaced : [former, ...displaced]) {
    // 'conflict': another request has ended it.
    await endSession(deps, { session, why: 'displaced', cause, origin: null });
  }
};

import type { EventLog } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import { newToken } from '../kernel/ids.ts';
import {
  acceptRegistration,
  type Registration,
  type RegistrationLimits,
} from './accept-registration.ts';
import type {
  AccountSearch,
  AccountStore,
  Credential,
  Origin,
  Profile,
  RequestOrigin,
  Session,
} from './account-store.ts';
import type { Addition, Cause } from './append-events.ts';
import { authenticate, type SignedInAs } from './authenticate.ts';
import type { Captcha, Challenge } from './captcha.ts';
import { checkPassword, type SignInLimits } from './check-password.ts';
import { logOut, revokeSession } from './end-sessions.ts';
import { eraseAccount, type OwnedResources } from './erase-account.ts';
import { exportPersonalData, type PersonalData } from './export-personal-data.ts';
import { invalidField, requireGoodPassword, requireMailbox } from './field-refusals.ts';
import { logIn, type SignedIn, type SignIn } from './log-in.ts';
import { mailboxHash } from './mailbox.ts';
import type { WrittenLanguage } from './number-words.ts';
import { type OperatorAccountCommands, operateAccounts } from './operate-account.ts';
import { type Own, ownerOf } from './own-account.ts';
import type { HashingSlot, Passwords } from './passwords.ts';
import { isMailboxLink, proveMailbox, requestMailboxProof } from './prove-mailbox.ts';
import { registerAccount } from './register-account.ts';
import { replacePassword } from './replace-password.ts';
import {
  type ResetLimits,
  type ResetRequest,
  requestPasswordReset,
} from './request-password-reset.ts';
import { isPasswordLink, type Reset, resetPassword } from './reset-password.ts';
import { serveVisitor, type Visiting, type Visitor, type VisitorDeps } from './serve-visitor.ts';
import type { SessionSettings } from './session.ts';

type Request = Omit<Cause, 'actor'>;

/** What people do with accounts. Each throws `Refusal` for what the product refuses. */
export type AccountCommands = OperatorAccountCommands & {
  /** For operators: accounts by their id, a page at a time. */
  listAccounts(search: AccountSearch): Promise<readonly OperatedAccount[]>;
  /** For operators: the account with this id or mail address, null when there is none. */
  findAccount(
    wanted: { readonly accountId: string } | { readonly email: string },
  ): Promise<OperatedAccount | null>;
  captchaChallenge(language: WrittenLanguage): Challenge;
  register(registration: Registration): Promise<Profile>;
  /**
   * For operators: no captcha and no rate limit; the password policy and one account per mailbox apply. A repeat with
   * the same password returns the account that it made, as long as that `isUnfinished`.
   */
  openAccount(input: {
    readonly email: string;
    readonly password: string;
    readonly name: string | null;
    readonly plan: string;
    readonly cause: Request;
    readonly isUnfinished: (accountId: string) => Promise<boolean>;
  }): Promise<Profile>;
  logIn(signIn: SignIn): Promise<SignedIn>;
  logOut(input: {
    readonly token: string;
    readonly origin: Origin;
    readonly cause: Request;
  }): Promise<void>;
  /** The session of a cookie; null when it is unknown or has ended. */
  authenticate(token: string): Promise<SignedInAs | null>;
  /** Whether an account is registered. False for an unknown or erased account, and for that of a visitor. */
  isOwned(accountId: string): Promise<boolean>;
  /** Throws UNAUTHENTICATED for an account that is erased. */
  profile(accountId: string): Promise<Profile>;
  openSessions(accountId: string): Promise<readonly Session[]>;
  revokeSession(input: {
    readonly accountId: string;
    readonly sessionId: string;
    readonly cause: Cause;
  }): Promise<void>;
  replacePassword(own: Own & { readonly current: string; readonly next: string }): Promise<void>;
  /** Somebody forgot a password: the mail follows. The answer tells nothing about the address. */
  requestPasswordReset(request: ResetRequest): Promise<void>;
  /** Whether this token proves a mailbox. */
  isMailboxLink(token: string): Promise<boolean>;
  /** The owner reads the mailbox: the token was sent to it. */
  proveMailbox(proof: { readonly token: string; readonly cause: Request }): Promise<void>;
  /** Another mail with a link that proves the mailbox. */
  requestMailboxProof(own: Own): Promise<void>;
  /** Whether this token sets a new password: once, within its hour. */
  isPasswordLink(token: string): Promise<boolean>;
  /** Sets the password by a link; every session ends. */
  resetPassword(reset: Reset): Promise<void>;
  exportPersonalData(own: Own): Promise<PersonalData>;
  eraseAccount(own: Own & { readonly password: string }): Promise<void>;
  /** Stores the address of a request that changes an account. */
  noteOrigin(origin: Omit<RequestOrigin, 'at'>): Promise<void>;
  /** The stored addresses of these requests. */
  originsOf(accountId: string, requestIds: readonly string[]): Promise<readonly RequestOrigin[]>;
  /** Runs work for a visitor without account within the daily allowances; see `serve-visitor.ts`. */
  serveVisitor<Result>(
    visiting: Visiting,
    work: (visitor: Visitor) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly newToken: string | null }>;
  /** Deletes expired rows; called periodically. */
  sweepAccounts(): Promise<void>;
};

/** An account as operators see it. */
export type OperatedAccount = Omit<Credential, 'passwordHash'>;

const withoutHash = ({ passwordHash: _, ...account }: Credential): OperatedAccount => account;

export type AccountSettings = {
  readonly registration: RegistrationLimits;
  readonly signIn: SignInLimits;
  readonly resets: ResetLimits;
  readonly sessions: SessionSettings;
  readonly changesPerDay: number;
  /** Retention of request addresses. */
  readonly originsKeptMs: number;
  readonly visitorCreditsPerDay: number;
};

export type AccountDeps<Plan extends string> = Pick<
  VisitorDeps,
  'openVisitorBook' | 'visitorKey'
> & {
  readonly log: Pick<EventLog, 'append' | 'read' | 'versionOf'>;
  readonly store: AccountStore;
  readonly passwords: Passwords;
  readonly captcha: Captcha;
  readonly clock: Clock;
  /** 32 bytes: hashes mailboxes in stream names, and addresses in counters. Changing it forgets both. */
  readonly mailboxKey: Uint8Array;
  readonly settings: AccountSettings;
  readonly disposableDomains: ReadonlySet<string>;
  readonly commonPasswords: ReadonlySet<string>;
  /** Names of the service, which are refused as passwords. */
  readonly serviceNames: readonly string[];
  /** The plan of a new account. */
  readonly firstPlan: Plan;
  readonly isPlan: (plan: string) => plan is Plan;
  /** The first book and grant of an account, appended with it. */
  readonly openBook: (opening: {
    readonly accountId: string;
    readonly plan: Plan;
    /** The plan has to wait for a proof of the mailbox. */
    readonly isProvisional: boolean;
    readonly now: Date;
    readonly cause: Cause;
  }) => Addition;
  readonly owned: OwnedResources;
  /** The absolute base of links. */
  readonly baseUrl: () => Promise<string>;
  /** Whether this installation sends mails. */
  readonly isMailing: boolean;
  /** Whether an account that somebody registers gets its plan only once the mailbox is proved. */
  readonly requiresMailboxProof: boolean;
  readonly pause: (ms: number) => Promise<unknown>;
};

/** Wires the commands on accounts. */
export const accountCommands = <Plan extends string>(deps: AccountDeps<Plan>): AccountCommands => {
  const { store, clock, captcha, settings } = deps;
  const register = registerAccount<Plan>(deps);
  const check = checkPassword({ ...deps, limits: settings.signIn });
  const sessions = { ...deps, sessions: settings.sessions };
  const own = { ...deps, checkPassword: check, changesPerDay: settings.changesPerDay };

  return {
    captchaChallenge: (language) => captcha.challenge(language),
    register: acceptRegistration({
      ...deps,
      limits: settings.registration,
      plan: deps.firstPlan,
      isProvisional: deps.requiresMailboxProof,
      register,
    }),
    openAccount: async ({ email, password, name, plan, cause, isUnfinished }) => {
      const mailbox = requireMailbox(email);
      if (!deps.isPlan(plan)) throw invalidField('plan', 'unknown_plan', 'There is no such plan.');
      requireGoodPassword(password, { ...deps, mailbox }, 'password');
      const begun = await store.findByMailbox(mailboxHash(mailbox.canonical, deps.mailboxKey));
      if (begun !== null && (await isUnfinished(begun.accountId))) {
        const { passwordHash, ...profile } = begun;
        const verify = (turn: HashingSlot) => turn.verify(password, passwordHash);
        if ((await deps.passwords.withHashingSlot(verify)).isRight) return profile;
      }
      return register({
        ...{ mailbox, password, name, plan, isProvisional: false, cause },
        ...{ by: 'operator', origin: null },
      });
    },
    logIn: logIn({ ...sessions, checkPassword: check, newToken }),
    logOut: logOut(deps),
    authenticate: authenticate(sessions),
    isOwned: async (accountId) => (await store.find(accountId)) !== null,
    profile: async (accountId) => {
      const { passwordHash: _, ...profile } = await ownerOf(deps, accountId);
      return profile;
    },
    openSessions: (accountId) => store.openSessions(accountId, clock()),
    revokeSession: revokeSession(deps),
    replacePassword: replacePassword(own),
    requestPasswordReset: requestPasswordReset({ ...deps, limits: settings.resets }),
    isMailboxLink: isMailboxLink(deps),
    proveMailbox: proveMailbox(deps),
    requestMailboxProof: requestMailboxProof(own),
    isPasswordLink: isPasswordLink(deps),
    resetPassword: resetPassword(deps),
    exportPersonalData: exportPersonalData(own),
    eraseAccount: eraseAccount(own),
    ...operateAccounts({ ...deps, newToken }),
    listAccounts: async (search) => (await store.list(search)).map(withoutHash),
    findAccount: async (wanted) => {
      const found =
        'accountId' in wanted
          ? await store.find(wanted.accountId)
          : await store.findByMailbox(
              mailboxHash(requireMailbox(wanted.email).canonical, deps.mailboxKey),
            );
      return found === null ? null : withoutHash(found);
    },
    noteOrigin: (origin) => store.noteOrigin({ ...origin, at: clock() }),
    originsOf: (accountId, requestIds) => store.originsOf(accountId, requestIds),
    serveVisitor: serveVisitor({
      ...deps,
      newToken,
      visitorCreditsPerDay: settings.visitorCreditsPerDay,
    }),
    sweepAccounts: () => {
      const now = clock();
      return store.sweep(now, new Date(now.getTime() - settings.originsKeptMs));
    },
  };
};

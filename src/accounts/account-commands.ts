import type { PageLanguage } from '../contract/languages.ts';
import type { EventLog } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import type { KeyRing } from '../kernel/key-ring.ts';
import { isGoodLink } from './account-links.ts';
import type { AccountStore, Profile, RequestOrigin } from './account-store.ts';
import type { Cause } from './append-events.ts';
import { mailboxHashes } from './email-address.ts';
import { eraseAccount, type OwnedResources } from './erase-account.ts';
import { exportPersonalData } from './export-personal-data.ts';
import { invalidField, requireGoodPassword, requireMailbox } from './field-refusals.ts';
import type { HashingSlot, Passwords } from './password/password-hashing.ts';
import type { RefusedWords } from './password/password-policy.ts';
import { replacePassword } from './password/replace-password.ts';
import { type ResetLimits, requestPasswordReset } from './password/request-password-reset.ts';
import { resetPassword } from './password/reset-password.ts';
import type { Captcha } from './registration/captcha.ts';
import { type OpenBook, registerAccount } from './registration/register-account.ts';
import { type RegistrationLimits, registerWithCaptcha } from './registration/register-with-captcha.ts';
import { proveMailbox, requestMailboxProof } from './registration/verify-email-address.ts';
import { authenticate } from './sign-in/authenticate-session.ts';
import { checkPassword, type SignInLimits } from './sign-in/check-password.ts';
import { logOut, revokeSession } from './sign-in/end-sessions.ts';
import { logIn } from './sign-in/log-in.ts';
import type { SessionSettings } from './sign-in/session.ts';
import { ownerOf } from './signed-in-owner.ts';
import { accountActions } from './suspend-account.ts';
import { serveVisitor, type VisitorDeps } from './visitor/charge-visitor.ts';

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

export type AccountDeps<Plan extends string> = Pick<VisitorDeps, 'openVisitorBook' | 'visitorKeys' | 'visitorKeyOf'> &
  RefusedWords & {
    readonly log: Pick<EventLog, 'append' | 'read' | 'versionOf'>;
    readonly store: AccountStore;
    readonly passwords: Passwords;
    readonly captcha: Captcha;
    readonly clock: Clock;
    /** Hash mailboxes in stream names, and addresses in counters. */
    readonly mailboxKeys: KeyRing;
    /** Sign the cookies of browsers that were signed in. */
    readonly deviceKeys: KeyRing;
    readonly settings: AccountSettings;
    readonly disposableDomains: ReadonlySet<string>;
    /** The plan of a new account. */
    readonly firstPlan: Plan;
    readonly isPlan: (plan: string) => plan is Plan;
    readonly openBook: OpenBook<Plan>;
    readonly owned: OwnedResources;
    /** The absolute base of links. */
    readonly baseUrl: () => Promise<string>;
    /** Whether this installation sends mails. */
    readonly isMailing: boolean;
    /** Whether an account that somebody registers gets its plan only once the mailbox is proved. */
    readonly requiresMailboxProof: boolean;
    readonly pause: (ms: number) => Promise<unknown>;
  };

/** What people do with accounts. Each command throws `Refusal` for what the product refuses. */
export type AccountCommands = ReturnType<typeof accountCommands>;

export const accountCommands = <Plan extends string>(given: AccountDeps<Plan>) => {
  const deps = { ...given, mailboxKey: given.mailboxKeys.current.bytes };
  const { store, clock, captcha, settings } = deps;
  const register = registerAccount<Plan>(deps);
  const check = checkPassword(deps);
  const sessions = { ...deps, sessions: settings.sessions, limits: settings.signIn };
  const own = { ...deps, checkPassword: check, changesPerDay: settings.changesPerDay, signInLimits: settings.signIn };

  return {
    captchaChallenge: (language: PageLanguage) => captcha.challenge(language),
    register: registerWithCaptcha({
      ...deps,
      limits: settings.registration,
      plan: deps.firstPlan,
      isProvisional: deps.requiresMailboxProof,
      register,
    }),
    openAccount: openAccount(deps, register),
    logIn: logIn({ ...sessions, checkPassword: check }),
    logOut: logOut(deps),
    authenticate: authenticate(sessions),
    /** Whether an account is registered. False for an unknown or erased account, and for that of a visitor. */
    isOwned: async (accountId: string): Promise<boolean> => (await store.find(accountId)) !== null,
    /** Throws UNAUTHENTICATED for an account that is erased. */
    profile: async (accountId: string): Promise<Profile> => {
      const { password: _, ...profile } = await ownerOf(deps, accountId);
      return profile;
    },
    openSessions: (accountId: string) => store.openSessions(accountId, clock()),
    revokeSession: revokeSession(deps),
    replacePassword: replacePassword(own),
    /** Somebody forgot a password: the mail follows. The answer tells nothing about the address. */
    requestPasswordReset: requestPasswordReset({ ...deps, limits: settings.resets }),
    /** Whether this token proves a mailbox. */
    isMailboxLink: isGoodLink(deps, 'mailbox'),
    /** The owner reads the mailbox: the token was sent to it. */
    proveMailbox: proveMailbox(deps),
    /** Another mail with a link that proves the mailbox. */
    requestMailboxProof: requestMailboxProof(own),
    /** Whether this token sets a new password: once, within its hour. */
    isPasswordLink: isGoodLink(deps, 'password'),
    resetPassword: resetPassword(deps),
    exportPersonalData: exportPersonalData(own),
    eraseAccount: eraseAccount(own),
    ...accountActions(deps),
    /** Stores the address of a request that changes an account. */
    noteOrigin: (origin: Omit<RequestOrigin, 'at'>) => store.noteOrigin({ ...origin, at: clock() }),
    /** The stored addresses of these requests. */
    originsOf: (accountId: string, requestIds: readonly string[]) => store.originsOf(accountId, requestIds),
    serveVisitor: serveVisitor({ ...deps, visitorCreditsPerDay: settings.visitorCreditsPerDay }),
    /** Deletes expired rows; called periodically. */
    sweepAccounts: (): Promise<void> => {
      const now = clock();
      return store.sweep(now, new Date(now.getTime() - settings.originsKeptMs));
    },
  };
};

/**
 * For operators: no captcha and no rate limit; the password policy and one account per mailbox apply. A repeat with the
 * same password returns the account that it made, as long as that `isUnfinished`.
 */
const openAccount =
  <Plan extends string>(deps: AccountDeps<Plan>, register: ReturnType<typeof registerAccount<Plan>>) =>
  async (input: {
    readonly email: string;
    readonly password: string;
    readonly name: string | null;
    readonly plan: string;
    readonly cause: Omit<Cause, 'actor'>;
    readonly isUnfinished: (accountId: string) => Promise<boolean>;
  }): Promise<Profile> => {
    const { password, name, plan, cause } = input;
    const mailbox = requireMailbox(input.email);
    if (!deps.isPlan(plan)) throw invalidField('plan', 'unknown_plan', 'There is no such plan.');
    requireGoodPassword(password, { ...deps, mailbox }, 'password');
    const hashes = mailboxHashes(mailbox.canonical, deps.mailboxKeys);
    const begun = await deps.store.findByMailbox(hashes);
    if (begun !== null && (await input.isUnfinished(begun.accountId))) {
      const { password: stored, ...profile } = begun;
      const verify = (slot: HashingSlot) => slot.verify(password, stored);
      if ((await deps.passwords.withHashingSlot(verify)).isRight) return profile;
    }
    return register({
      ...{ mailbox, password, name, plan, isProvisional: false, cause },
      ...{ by: 'operator', origin: null },
    });
  };

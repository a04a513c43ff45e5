import type { PageLanguage } from '../contract/languages.ts';
import type { PlanKey } from '../contract/plan-keys.ts';
import { isGoodLink } from './account-links.ts';
import type { AccountParts } from './account-parts.ts';
import type { Profile, RequestOrigin } from './account-store.ts';
import type { Cause } from './append-events.ts';
import { mailboxHashes } from './email-address.ts';
import { eraseAccount, type OwnedResources } from './erase-account.ts';
import { exportPersonalData } from './export-personal-data.ts';
import { requireGoodPassword, requireMailbox } from './field-refusals.ts';
import type { HashingSlot } from './password/password-hashing.ts';
import { replacePassword } from './password/replace-password.ts';
import { requestPasswordReset } from './password/request-password-reset.ts';
import { resetPassword } from './password/reset-password.ts';
import type { Captcha } from './registration/captcha.ts';
import { type OpenBook, registerAccount } from './registration/register-account.ts';
import { registerWithCaptcha } from './registration/register-with-captcha.ts';
import { proveMailbox, requestMailboxProof } from './registration/verify-email-address.ts';
import { authenticate } from './sign-in/authenticate-session.ts';
import { checkPassword } from './sign-in/check-password.ts';
import { logOut, revokeSession } from './sign-in/end-sessions.ts';
import { logIn } from './sign-in/log-in.ts';
import { ownerOf } from './signed-in-owner.ts';
import { accountActions } from './suspend-account.ts';
import { serveVisitor, type VisitorDeps } from './visitor/charge-visitor.ts';

export type AccountDeps = AccountParts &
  Omit<VisitorDeps, keyof AccountParts> & {
    readonly captcha: Captcha;
    readonly disposableDomains: ReadonlySet<string>;
    readonly openBook: OpenBook;
    readonly owned: OwnedResources;
    /** Whether an account that somebody registers gets its plan only once the mailbox is proved. */
    readonly requiresMailboxProof: boolean;
  };

/** What people do with accounts. Each command throws `Refusal` for what the product refuses. */
export type AccountCommands = ReturnType<typeof accountCommands>;

export const accountCommands = (deps: AccountDeps) => {
  const { store, clock, captcha, settings } = deps;
  const register = registerAccount(deps);
  const checking = { ...deps, checkPassword: checkPassword(deps) };

  return {
    captchaChallenge: (language: PageLanguage) => captcha.challenge(language),
    register: registerWithCaptcha({ ...deps, register }),
    openAccount: openAccount(deps, register),
    logIn: logIn(checking),
    logOut: logOut(deps),
    authenticate: authenticate(deps),
    /** Whether an account is registered. False for an unknown or erased account, and for that of a visitor. */
    isOwned: async (accountId: string): Promise<boolean> => (await store.find(accountId)) !== null,
    /** Throws UNAUTHENTICATED for an account that is erased. */
    profile: async (accountId: string): Promise<Profile> => {
      const { password: _, ...profile } = await ownerOf(deps, accountId);
      return profile;
    },
    openSessions: (accountId: string) => store.openSessions(accountId, clock()),
    revokeSession: revokeSession(deps),
    replacePassword: replacePassword(checking),
    /** Somebody forgot a password: the mail follows. The answer tells nothing about the address. */
    requestPasswordReset: requestPasswordReset(deps),
    /** Whether this token proves a mailbox. */
    isMailboxLink: isGoodLink(deps, 'mailbox'),
    /** The owner reads the mailbox: the token was sent to it. */
    proveMailbox: proveMailbox(deps),
    /** Another mail with a link that proves the mailbox. */
    requestMailboxProof: requestMailboxProof(deps),
    /** Whether this token sets a new password: once, within its hour. */
    isPasswordLink: isGoodLink(deps, 'password'),
    resetPassword: resetPassword(deps),
    exportPersonalData: exportPersonalData(deps),
    eraseAccount: eraseAccount(checking),
    ...accountActions(deps),
    /** Stores the address of a request that changes an account. */
    noteOrigin: (origin: Omit<RequestOrigin, 'at'>) => store.noteOrigin({ ...origin, at: clock() }),
    /** The stored addresses of these requests. */
    originsOf: (accountId: string, requestIds: readonly string[]) => store.originsOf(accountId, requestIds),
    serveVisitor: serveVisitor(deps),
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
  (deps: AccountDeps, register: ReturnType<typeof registerAccount>) =>
  async (input: {
    readonly email: string;
    readonly password: string;
    readonly name: string | null;
    readonly plan: PlanKey;
    readonly cause: Omit<Cause, 'actor'>;
    readonly isUnfinished: (accountId: string) => Promise<boolean>;
  }): Promise<Profile> => {
    const { password, name, plan, cause } = input;
    const mailbox = requireMailbox(input.email);
    requireGoodPassword(password, { ...deps, mailbox }, 'password');
    const hashes = mailboxHashes(mailbox.canonical, deps.mailboxKeys);
    const begun = await deps.store.findByMailbox(hashes);
    if (begun !== null && (await input.isUnfinished(begun.accountId))) {
      const { password: stored, ...profile } = begun;
      const verify = (slot: HashingSlot) => slot.verify(password, stored);
      if ((await deps.passwords.withHashingSlot(verify)).isRight) return profile;
    }
    return register({ mailbox, password, name, plan, isProvisional: false, origin: null, cause });
  };

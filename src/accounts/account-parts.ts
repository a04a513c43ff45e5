import type { EventLog } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import type { KeyRing } from '../kernel/key-ring.ts';
import type { AccountStore } from './account-store.ts';
import type { Throttle } from './attempt-limits.ts';
import type { Passwords } from './password/password-hashing.ts';
import type { RefusedWords } from './password/password-policy.ts';
import type { SessionSettings } from './sign-in/session.ts';

/** Registrations allowed, each limit within its window. */
export type RegistrationLimits = {
  readonly perIpHour: number;
  readonly perIpDay: number;
  readonly perDomainHour: number;
  readonly perFreeMailDomainHour: number;
  readonly perMailboxDay: number;
  readonly perHour: number;
  readonly captchaFailuresPerIpHour: number;
};

export type SignInLimits = {
  /** Wrong passwords for one mailbox from one address, or from one browser that was signed in to it before. */
  readonly perMailboxAndNetwork: Throttle;
  /** Wrong passwords for one mailbox from all addresses, without such browsers. */
  readonly perMailbox: Throttle;
  /** Wrong passwords from one address, over all mailboxes. */
  readonly perNetwork: Throttle;
};

/** Requests for links that are answered. */
export type ResetLimits = { readonly perIpHour: number; readonly perMailboxDay: number };

export type AccountSettings = {
  readonly registration: RegistrationLimits;
  readonly signIn: SignInLimits;
  readonly resets: ResetLimits;
  readonly sessions: SessionSettings;
  /** Password changes, and data exports, per day: each appends an event to the stream of the account. */
  readonly changesPerDay: number;
  /** Retention of request addresses. */
  readonly originsKeptMs: number;
  /** The daily allowance of a visitor and, separately, of an address. */
  readonly visitorCreditsPerDay: number;
};

/** What commands of accounts work with; each names those parts that it uses. */
export type AccountParts = RefusedWords & {
  readonly log: Pick<EventLog, 'append' | 'read' | 'versionOf'>;
  readonly store: AccountStore;
  readonly passwords: Passwords;
  readonly clock: Clock;
  /** Hash mailboxes in stream names, and addresses in counters. */
  readonly mailboxKeys: KeyRing;
  /** Sign the cookies of browsers that were signed in. */
  readonly deviceKeys: KeyRing;
  readonly settings: AccountSettings;
  /** The absolute base of links. */
  readonly baseUrl: () => Promise<string>;
  /** Whether this installation sends mails. */
  readonly isMailing: boolean;
  readonly pause: (ms: number) => Promise<unknown>;
};

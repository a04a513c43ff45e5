import { dayMs, hourMs } from '../../kernel/clock.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { AccountParts, RegistrationLimits } from '../account-parts.ts';
import type { Origin, Profile } from '../account-store.ts';
import type { Cause } from '../append-events.ts';
import { bucketOf, type Counter, countAttempt, current } from '../attempt-limits.ts';
import { isDisposable, isLargeFreeMail, type Mailbox } from '../email-address.ts';
import { requireGoodPassword, requireMailbox } from '../field-refusals.ts';
import type { RefusedWords } from '../password/password-policy.ts';
import { type Captcha, captchaFailed, type Proof } from './captcha.ts';
import { notCompleted, type Opening } from './register-account.ts';

/** The input of an anonymous caller. */
export type Registration = {
  readonly email: string;
  readonly password: string;
  readonly name: string | null;
  readonly proof: Omit<Proof, 'ip'>;
  /** A honeypot field is filled in. */
  readonly isTrapped: boolean;
  /** The rate limit key of the address: an IPv6 address by its /64. */
  readonly network: string;
  readonly origin: Origin;
  readonly cause: Omit<Cause, 'actor'>;
};

type Deps = Pick<AccountParts, 'store' | 'passwords' | 'settings' | 'mailboxKeys' | 'clock'> &
  RefusedWords & {
    readonly captcha: Captcha;
    readonly disposableDomains: ReadonlySet<string>;
    readonly requiresMailboxProof: boolean;
    readonly register: (opening: Opening) => Promise<Profile>;
  };

/** The plan of a new account. */
const firstPlan = 'free';

/**
 * Registers an anonymous caller. Order: rate limit of the address, form, honeypot and captcha, rate limits of mailbox,
 * domain and service. All cases without an account get the same response.
 */
export const registerWithCaptcha =
  (deps: Deps) =>
  async (registration: Registration): Promise<Profile> => {
    const tries = triesOf(deps, registration.network);
    await tries.check();
    const mailbox = requireMailbox(registration.email);
    requireGoodPassword(registration.password, { ...deps, mailbox }, 'password');

    if (registration.isTrapped) {
      await tries.countRegistration([]);
      throw captchaFailed();
    }
    try {
      await deps.captcha.prove({ ...registration.proof, ip: registration.origin.ip });
    } catch (error) {
      if (error instanceof Refusal && error.code === 'CAPTCHA_FAILED') await tries.countFailure();
      throw error;
    }
    await tries.countRegistration(mailboxTries(deps.settings.registration, mailbox));

    if (isDisposable(mailbox.domain, deps.disposableDomains)) {
      await deps.passwords.withHashingSlot((slot) => slot.hash(registration.password));
      throw notCompleted();
    }
    return deps.register({
      mailbox,
      password: registration.password,
      name: registration.name,
      plan: firstPlan,
      isProvisional: deps.requiresMailboxProof,
      origin: registration.origin,
      cause: registration.cause,
    });
  };

/** The same message and wait for every exceeded limit, so that a caller cannot tell which limit it was. */
const blocked = (): Refusal =>
  new Refusal(
    'REGISTRATION_BLOCKED',
    'Registration is currently not possible. Please try again later.',
    null,
    hourMs / 1000,
  );

const mailboxTries = (limits: RegistrationLimits, { limiterKey, domain }: Mailbox): Counter[] => [
  {
    bucket: `domain|${domain}`,
    limit: isLargeFreeMail(domain) ? limits.perFreeMailDomainHour : limits.perDomainHour,
    windowMs: hourMs,
  },
  { bucket: `mailbox|${limiterKey}`, limit: limits.perMailboxDay, windowMs: dayMs },
  { bucket: 'all', limit: limits.perHour, windowMs: hourMs },
];

const triesOf = (deps: Deps, network: string) => {
  const { store, clock, mailboxKeys } = deps;
  const limits = deps.settings.registration;
  const perIp: readonly Counter[] = [
    { bucket: `network hour|${network}`, limit: limits.perIpHour, windowMs: hourMs },
    { bucket: `network day|${network}`, limit: limits.perIpDay, windowMs: dayMs },
  ];
  const failures: Counter = { bucket: `captcha|${network}`, limit: limits.captchaFailuresPerIpHour, windowMs: hourMs };
  const count = async (counters: readonly Counter[]): Promise<void> => {
    if (!(await countAttempt(deps, 'registration', counters))) throw blocked();
  };

  return {
    check: async (): Promise<void> => {
      const now = clock().getTime();
      const counters = [...perIp, failures];
      const tallies = await store.tallies(
        counters.map(({ bucket }) => bucketOf('registration', mailboxKeys.current.bytes, bucket)),
      );
      const isFull = (counter: Counter, index: number): boolean =>
        current(tallies[index] ?? null, now, counter).count >= counter.limit;
      if (counters.some(isFull)) throw blocked();
    },
    countFailure: () => count([failures]),
    countRegistration: (counters: readonly Counter[]) => count([...perIp, ...counters]),
  };
};

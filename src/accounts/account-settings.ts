import { defaultRegistrationLimits } from './accept-registration.ts';
import type { AccountSettings } from './account-commands.ts';
import { defaultSignInLimits } from './check-password.ts';
import { defaultSessions } from './session.ts';

/** What holds unless the operator says otherwise. */
export const defaultAccountSettings: AccountSettings = {
  registration: defaultRegistrationLimits,
  signIn: defaultSignInLimits,
  sessions: defaultSessions,
  changesPerDay: 10,
  originsKeptMs: 90 * 86_400_000,
  visitorCreditsPerDay: 600,
};

import type { RequestOrigin } from '../account-store.ts';
import type { Mail } from './mailer.ts';

type MailText = Pick<Mail, 'subject' | 'text'>;

const lines = (subject: string, ...text: readonly string[]): MailText => ({ subject, text: `${text.join('\n')}\n` });

/** Times in mails are UTC: nobody knows the time zone of the reader. */
const moment = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The link that sets a new password. */
export const passwordResetText = (url: string): MailText =>
  lines(
    'Set a new password',
    'Someone asked to reset the password of your Steno account. This link sets a new one, once and within an hour:',
    '',
    url,
    '',
    'If this was not you, ignore this mail: your password does not change.',
  );

/** The link that proves the mailbox. */
export const mailboxProofText = (url: string): MailText =>
  lines(
    'Confirm your e-mail address',
    'A Steno account was created with this address. Confirm the address to get all credits of your plan:',
    '',
    url,
    '',
    'The link is valid for seven days. If this was not you, ignore this mail.',
  );

/** A sign-in from a network that the account was not used from before. */
export const newPlaceText = (
  { ip, userAgent, at }: Omit<RequestOrigin, 'accountId' | 'requestId'>,
  securityUrl: string,
): MailText =>
  lines(
    'New sign-in to your account',
    'Someone signed in to your Steno account from a new place:',
    '',
    `  Time     ${moment(at)}`,
    `  Address  ${ip}`,
    `  Program  ${userAgent ?? 'unknown'}`,
    '',
    `If this was not you, change your password and check your sessions: ${securityUrl}`,
  );

/** A new API key. `name` null: it is not known yet. */
export const newKeyText = (
  { keyId, name }: { readonly keyId: string; readonly name: string | null },
  keysUrl: string,
): MailText =>
  lines(
    'New API key',
    `An API key was created for your Steno account: ${name === null ? keyId : `${name} (${keyId})`}.`,
    '',
    `If this was not you, revoke the key and change your password: ${keysUrl}`,
  );

/** A key has reached a share of its cap. `name` null: it is not known. */
export const budgetText = (
  { keyId, name, told }: { readonly keyId: string; readonly name: string | null; readonly told: string },
  keysUrl: string,
): MailText =>
  lines(
    'API key spending alert',
    `The API key ${name === null ? keyId : `${name} (${keyId})`} of your Steno account has used ${told} credits of its cap.`,
    '',
    `You can change its cap here: ${keysUrl}`,
  );

/** An authorized application has reached a share of its budget. `name` null: it is not known. */
export const grantBudgetText = (
  { name, told }: { readonly name: string | null; readonly told: string },
  grantsUrl: string,
): MailText =>
  lines(
    'Application spending alert',
    `${name === null ? 'An application' : `The application ${name}`} that may use your Steno account has used ${told} credits of its budget.`,
    '',
    `You can see its budget and end its access here: ${grantsUrl}`,
  );

/** Few credits are left. */
export const lowCreditsText = ({ remaining, included, renewsAt }: Credits, plansUrl: string): MailText =>
  lines(
    'Low on credits',
    `Your Steno account has ${remaining} of ${included} credits left. They renew on ${renewsAt.toISOString().slice(0, 10)}.`,
    '',
    `You can see your plan here: ${plansUrl}`,
  );

/** The credits of an account in the present period. */
export type Credits = { readonly remaining: number; readonly included: number; readonly renewsAt: Date };

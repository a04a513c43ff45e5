import type { RequestOrigin } from '../account-store.ts';
import type { Mail } from './mailer.ts';

type MailText = Pick<Mail, 'subject' | 'text'>;

const lines = (subject: string, ...text: readonly string[]): MailText => ({
  subject,
  text: `${text.join('\n')}\n`,
});

/** Times in mails are UTC: nobody knows the time zone of the reader. */
const moment = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The link that sets a new password. */
export const passwordResetText = (url: string): MailText =>
  lines(
    'Set a new password',
    'Somebody asked to set a new password for your Steno account. This link does so, once and within an hour:',
    '',
    url,
    '',
    'If it was not you, do nothing: your password stays as it is.',
  );

/** The link that proves the mailbox. */
export const mailboxProofText = (url: string): MailText =>
  lines(
    'Confirm your e-mail address',
    'A Steno account was made with this address. Confirm it to get all credits of your plan:',
    '',
    url,
    '',
    'The link is valid for seven days. If it was not you, do nothing.',
  );

/** A sign-in from a network that the account was not used from before. */
export const newPlaceText = (
  { ip, userAgent, at }: Omit<RequestOrigin, 'accountId' | 'requestId'>,
  securityUrl: string,
): MailText =>
  lines(
    'New sign-in to your account',
    'Somebody signed in to your Steno account from a place that it was not used from before:',
    '',
    `  Time     ${moment(at)}`,
    `  Address  ${ip}`,
    `  Program  ${userAgent ?? 'unknown'}`,
    '',
    `If it was not you, change your password and look at the sessions: ${securityUrl}`,
  );

/** A new API key. `name` null: it is not known yet. */
export const newKeyText = (
  { keyId, name }: { readonly keyId: string; readonly name: string | null },
  keysUrl: string,
): MailText =>
  lines(
    'New API key',
    `An API key was made for your Steno account: ${name === null ? keyId : `${name} (${keyId})`}.`,
    '',
    `If it was not you, revoke it and change your password: ${keysUrl}`,
  );

/** A key has reached a share of its cap. `name` null: it is not known. */
export const budgetText = (
  { keyId, name, told }: { readonly keyId: string; readonly name: string | null; readonly told: string },
  keysUrl: string,
): MailText =>
  lines(
    'An API key has used much of its cap',
    `The API key ${name === null ? keyId : `${name} (${keyId})`} of your Steno account has used ${told} credits of its cap.`,
    '',
    `Its cap can be changed here: ${keysUrl}`,
  );

/** Few credits are left. */
export const lowCreditsText = ({ remaining, included, renewsAt }: Credits, plansUrl: string): MailText =>
  lines(
    'Few credits are left',
    `Your Steno account has ${remaining} of ${included} credits left. The next ones come on ${renewsAt.toISOString().slice(0, 10)}.`,
    '',
    `Your plan and its credits: ${plansUrl}`,
  );

/** The credits of an account in the present period. */
export type Credits = {
  readonly remaining: number;
  readonly included: number;
  readonly renewsAt: Date;
};

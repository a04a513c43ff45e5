import { z } from 'zod';
import { dayMs, minuteMs } from '../kernel/clock.ts';
import { newPassword, planSchema, userSchema } from './account.ts';
import { endpointsWith, type OpenEndpoint, ofUser } from './endpoint.ts';
import { named, shownName } from './schemas.ts';

/** The user and the plan after registering and signing in. */
const signedInSchema = named('SignedIn', { user: userSchema, plan: planSchema });

/** What every endpoint has that is asked before anybody is signed in. */
const signedOut = endpointsWith({ ...ofUser, access: 'anyone', tag: 'Account' });

export const captchaSchema = z
  .union([
    z.object({
      token: z.string().describe('Send it back with the answer.'),
      question: z.string().describe('The question.'),
      min_solve_ms: z.int().describe('Minimum milliseconds before an answer is accepted.'),
    }),
    z.object({
      provider: z.string().describe('The provider of the captcha.'),
      site_key: z.string().describe('Key of the captcha provider for pages.'),
    }),
  ])
  .meta({ id: 'Captcha' });

export const getCaptcha = {
  ...signedOut('getCaptcha', 'GET', '/api/auth/captcha'),
  summary: 'A captcha for a registration',
  description:
    'A question in words, valid for one answer, within ten minutes unless the operator has set another time; or the widget of a provider.',
  answers: { 200: { description: 'What to solve.', schema: captchaSchema } },
} satisfies OpenEndpoint;

/** Characters of a mail address, at most (RFC 5321). */
export const longestEmail = 254;

/** The mail address of a new account, or of one whose owner cannot sign in. */
const emailAddress = z.string().max(longestEmail).meta({ format: 'email' }).describe('E-mail address.');

/** Loose: other fields of a form are ignored, except the honeypots. */
const registerBody = z.looseObject({
  email: emailAddress,
  password: newPassword.describe('The password.'),
  name: shownName.nullish().describe('Name.'),
  captcha_token: z.string().max(2048).optional().describe('`token` of `GET /api/auth/captcha`.'),
  captcha_answer: z
    .union([z.string().max(100), z.int()], { error: 'must be a text or a whole number' })
    .optional()
    .describe('The answer to the question of the captcha.'),
  captcha_response: z
    .string()
    .max(4096)
    .optional()
    .describe('The response of the captcha provider, if one is configured.'),
});

export const registerAccount = {
  ...signedOut('register', 'POST', '/api/auth/register'),
  summary: 'Create an account on the free plan',
  description: 'It does not sign in. A refusal does not say whether the address has an account.',
  body: registerBody,
  answers: { 201: { description: 'The account was created.', schema: signedInSchema } },
  refusals: ['CAPTCHA_FAILED', 'REGISTRATION_BLOCKED'],
} satisfies OpenEndpoint;

export const logIn = {
  ...signedOut('login', 'POST', '/api/auth/login'),
  summary: 'Sign in',
  description:
    'Sets the cookies `session` and `device`. An unknown address and a wrong password get the same response. After too many failures from one address, sign-ins must wait; a client that sends the `device` cookie of an earlier sign-in does not wait for the failures of others.',
  body: z.object({
    email: z.string().max(1_000).describe('E-mail address.'),
    password: z.string().describe('The password.'),
  }),
  answers: {
    200: {
      description: 'Signed in.',
      schema: signedInSchema,
      headers: { 'Set-Cookie': 'The cookies `session` and `device`: HttpOnly, SameSite=Lax.' },
    },
  },
  refusals: ['ACCOUNT_SUSPENDED', 'INVALID_CREDENTIALS'],
} satisfies OpenEndpoint;

export const logOut = {
  ...signedOut('logout', 'POST', '/api/auth/logout'),
  access: 'session',
  summary: 'Sign out',
  description: 'Ends the session of the cookie, if it has one.',
  answers: { 204: { description: 'Signed out.' } },
} satisfies OpenEndpoint;

const meSchema = named('Me', {
  authenticated: z.boolean().describe('Whether the request came from a signed-in user.'),
  user: userSchema.nullable().describe('The user; null: not signed in.'),
  plan: planSchema.nullable().describe('The plan of the account.'),
});

export const getMe = {
  ...signedOut('getMe', 'GET', '/api/auth/me'),
  summary: 'Whether the caller is signed in, and as whom',
  description: 'Always 200: `authenticated` says whether the caller is signed in.',
  answers: { 200: { description: 'The state of the session.', schema: meSchema } },
} satisfies OpenEndpoint;

export const authEndpoints = [getCaptcha, registerAccount, logIn, logOut, getMe] as const;

/** How long a link is good, by what it is for. */
export const linkLifeMs = { password: 60 * minuteMs, mailbox: 7 * dayMs } as const;

/** The longest wait for the next mail with a link for a password. */
export const longestMailWaitMs = linkLifeMs.password / 2;

export const requestPasswordReset = {
  ...signedOut('requestPasswordReset', 'POST', '/api/password/forgot'),
  summary: 'Request a password reset link',
  description: `The response is the same, and takes the same time, whether or not the address has an account. Beyond a number of links per day, at most one mail is sent every ${longestMailWaitMs / minuteMs} minutes, whoever requests it; the previous link then stays valid. 404 if this service sends no mail.`,
  body: z.strictObject({ email: emailAddress }),
  answers: {
    202: {
      description: 'If the address has an account, a mail with a link is sent.',
      schema: named('PasswordResetRequested', { message: z.string().describe('What happens next, for people.') }),
    },
  },
  refusals: ['NOT_FOUND'],
} satisfies OpenEndpoint;

export const resetPassword = {
  ...signedOut('resetPassword', 'POST', '/api/password/reset'),
  summary: 'Set a new password by a link',
  description: `The link comes by mail or from the operator. It can be used once, within ${linkLifeMs.password / minuteMs} minutes, and ends every session of the account. Unknown, used and expired links are refused in the same way.`,
  body: z.strictObject({
    token: z.string().max(200).describe('`token` from the link.'),
    new_password: newPassword.describe('The new password.'),
  }),
  answers: { 204: { description: 'The password was changed.' } },
} satisfies OpenEndpoint;

export const proveMailbox = {
  ...signedOut('proveMailbox', 'POST', '/api/mailbox/prove'),
  summary: 'Verify the mailbox by a link',
  description: `The link was sent to the address of the account. It can be used once, within ${linkLifeMs.mailbox / dayMs} days; the credits of the plan follow within a second.`,
  body: z.strictObject({ token: z.string().max(200).describe('`token` from the link.') }),
  answers: { 204: { description: 'The mailbox is verified.' } },
} satisfies OpenEndpoint;

export const linkEndpoints = [requestPasswordReset, resetPassword, proveMailbox] as const;

import { z } from 'zod';
import { shownName } from '../kernel/shown-name.ts';
import { newPassword, planSchema, userSchema } from './account.ts';
import { type OpenEndpoint, ofUser } from './endpoint.ts';

/** The user and the plan after registering and signing in. */
export const signedInSchema = z.object({ user: userSchema, plan: planSchema }).meta({ id: 'SignedIn' });

/** What every endpoint has that is asked before anybody is signed in. */
const signedOut = {
  ...ofUser,
  access: 'anyone',
  tag: 'Account',
} as const;

export const captchaSchema = z
  .union([
    z.object({
      token: z.string().describe('To be sent back with the answer.'),
      question: z.string().describe('The question.'),
      min_solve_ms: z.int().describe('Milliseconds that an answer takes at least.'),
    }),
    z.object({
      provider: z.string().describe('Who it comes from.'),
      site_key: z.string().describe('Key of the captcha provider for pages.'),
    }),
  ])
  .meta({ id: 'Captcha' });

export const getCaptcha = {
  ...signedOut,
  id: 'getCaptcha',
  method: 'GET',
  path: '/api/auth/captcha',
  summary: 'A captcha for a registration',
  description: 'A question in words, valid for one answer, within ten minutes; or the widget of a provider.',
  answers: { 200: { description: 'What to solve.', schema: captchaSchema } },
} satisfies OpenEndpoint;

export const personName = z.string().trim().max(100).regex(shownName, { error: 'takes no control characters' });

/** Loose: other fields of a form are ignored, except the honeypots. */
export const registerBody = z.looseObject({
  email: z.string().max(320).meta({ format: 'email' }).describe('E-mail address.'),
  password: newPassword.describe('The password.'),
  name: personName.nullish().describe('Name.'),
  captcha_token: z.string().max(2048).optional().describe('`token` of `GET /api/auth/captcha`.'),
  captcha_answer: z
    .union([z.string().max(100), z.int()], { error: 'takes a text or a whole number' })
    .optional()
    .describe('The answer to the question of the captcha.'),
  captcha_response: z
    .string()
    .max(4096)
    .optional()
    .describe('The response of the captcha provider, where one is configured.'),
});

export const registerAccount = {
  ...signedOut,
  id: 'register',
  method: 'POST',
  path: '/api/auth/register',
  summary: 'Make an account on the free plan',
  description: 'It does not sign in. A refusal does not say whether the address has an account.',
  body: registerBody,
  answers: { 201: { description: 'The account exists.', schema: signedInSchema } },
  refusals: ['CAPTCHA_FAILED', 'REGISTRATION_BLOCKED'],
} satisfies OpenEndpoint;

export const logIn = {
  ...signedOut,
  id: 'login',
  method: 'POST',
  path: '/api/auth/login',
  summary: 'Sign in',
  description:
    'Sets the cookies `session` and `device`. An unknown address and a wrong password get the same answer. Too many failures from one address have to wait; a client that sends the `device` of an earlier sign-in back does not wait for the failures of others.',
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
  ...signedOut,
  access: 'session',
  id: 'logout',
  method: 'POST',
  path: '/api/auth/logout',
  summary: 'Sign out',
  description: 'Ends the session of the cookie, if it has one.',
  answers: { 204: { description: 'Signed out.' } },
} satisfies OpenEndpoint;

export const meSchema = z
  .object({
    authenticated: z.boolean().describe('Whether the request came from a signed-in user.'),
    user: userSchema.nullable().describe('The user; null: nobody is signed in.'),
    plan: planSchema.nullable().describe('The plan of the account.'),
  })
  .meta({ id: 'Me' });

export const getMe = {
  ...signedOut,
  id: 'getMe',
  method: 'GET',
  path: '/api/auth/me',
  summary: 'Whether somebody is signed in, and who',
  description: 'Answers 200 for everybody: `authenticated` says whether somebody is signed in.',
  answers: { 200: { description: 'Who it is.', schema: meSchema } },
} satisfies OpenEndpoint;

export const authEndpoints = [getCaptcha, registerAccount, logIn, logOut, getMe] as const;

export const requestPasswordReset = {
  ...signedOut,
  id: 'requestPasswordReset',
  method: 'POST',
  path: '/api/password/forgot',
  summary: 'Ask for a link that sets a new password',
  description:
    'The answer is the same, and takes the same time, whether the address has an account or not. Whoever asks, beyond some links in a day one mail is sent in half an hour at most; the link of the one before is still good then. 404 where this service sends no mail.',
  body: z.strictObject({ email: z.string().max(320).meta({ format: 'email' }).describe('E-mail address.') }),
  answers: {
    202: {
      description: 'If the address has an account, a mail with a link follows.',
      schema: z
        .object({ message: z.string().meta({ description: 'What happens next, for people.' }) })
        .meta({ id: 'PasswordResetRequested' }),
    },
  },
  refusals: ['NOT_FOUND'],
} satisfies OpenEndpoint;

export const resetPassword = {
  ...signedOut,
  id: 'resetPassword',
  method: 'POST',
  path: '/api/password/reset',
  summary: 'Set a new password by a link',
  description:
    'The link comes by mail or from the operator. It can be used once, within an hour, and every session of the account ends. A link that is unknown, used or too old is always refused in the same way.',
  body: z.strictObject({
    token: z.string().max(200).meta({ description: '`token` of the address of the link.' }),
    new_password: newPassword.describe('The password from now on.'),
  }),
  answers: { 204: { description: 'The new password is good.' } },
} satisfies OpenEndpoint;

export const proveMailbox = {
  ...signedOut,
  id: 'proveMailbox',
  method: 'POST',
  path: '/api/mailbox/prove',
  summary: 'Prove the mailbox by a link',
  description:
    'The link was sent to the address of the account. It can be used once, within seven days; the credits of the plan follow within a second.',
  body: z.strictObject({
    token: z.string().max(200).meta({ description: '`token` of the address of the link.' }),
  }),
  answers: { 204: { description: 'The mailbox is proved.' } },
} satisfies OpenEndpoint;

export const linkEndpoints = [requestPasswordReset, resetPassword, proveMailbox] as const;

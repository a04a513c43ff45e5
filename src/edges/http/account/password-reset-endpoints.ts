import { z } from 'zod';
import type { Commands } from '../../../commands.ts';
import type { OpenEndpoint } from '../../../contract/endpoint.ts';
import { requestOf } from '../middleware/build-call.ts';
import { countedAddress } from '../middleware/client-address.ts';
import { json, noContent } from '../middleware/response.ts';
import { openRoute, type RequestInfo, type Route } from '../middleware/route.ts';
import { deviceCookie, noSessionCookie, requireOwnOrigin, type SessionDeps } from '../middleware/session.ts';
import { signedOut } from './auth.ts';

const requestPasswordReset = {
  ...signedOut,
  id: 'requestPasswordReset',
  method: 'POST',
  path: '/api/password/forgot',
  summary: 'Ask for a link that sets a new password',
  description:
    'The answer is the same, and takes the same time, whether the address has an account or not. Whoever asks, beyond some links in a day one mail is sent in half an hour at most; the link of the one before is still good then. 404 where this service sends no mail.',
  body: z.strictObject({ email: z.string().max(320).meta({ format: 'email' }) }),
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

const resetPassword = {
  ...signedOut,
  id: 'resetPassword',
  method: 'POST',
  path: '/api/password/reset',
  summary: 'Set a new password by a link',
  description:
    'The link comes by mail or from the operator. It is good once and for an hour, and every session of the account ends. A link that is unknown, used or too old is always refused in the same way.',
  body: z.strictObject({
    token: z.string().max(200).meta({ description: '`token` of the address of the link.' }),
    new_password: z.string().meta({ format: 'password', minLength: 8, maxLength: 256 }),
  }),
  answers: { 204: { description: 'The new password is good.' } },
} satisfies OpenEndpoint;

const proveMailbox = {
  ...signedOut,
  id: 'proveMailbox',
  method: 'POST',
  path: '/api/mailbox/prove',
  summary: 'Prove the mailbox by a link',
  description:
    'The link was sent to the address of the account. It is good once and for seven days; the credits of the plan follow within a second.',
  body: z.strictObject({
    token: z.string().max(200).meta({ description: '`token` of the address of the link.' }),
  }),
  answers: { 204: { description: 'The mailbox is proved.' } },
} satisfies OpenEndpoint;

export const linkEndpoints = [requestPasswordReset, resetPassword, proveMailbox] as const;

type Deps = SessionDeps & {
  readonly commands: Pick<Commands, 'requestPasswordReset' | 'resetPassword' | 'proveMailbox'>;
};

/** The cookies after a password was set by a link: no session, and that of a browser whose owner reads the mailbox. */
export const afterReset = (
  deps: Pick<SessionDeps, 'isSecure'>,
  requestInfo: Pick<RequestInfo, 'request'>,
  deviceToken: string,
): readonly string[] => [noSessionCookie(deps, requestInfo), deviceCookie.write(deps, requestInfo, deviceToken)];

/** What links in mails are for: forgotten passwords, and proofs of mailboxes. */
export const links = (deps: Deps): Route[] => [
  openRoute(
    requestPasswordReset,
    async ({ body, requestInfo }) => {
      await deps.commands.requestPasswordReset({
        email: body.email,
        deviceToken: deviceCookie.read(requestInfo),
        network: countedAddress(requestInfo.address),
        cause: requestOf(requestInfo),
      });
      const message = 'If this address has an account, a mail with a link is on its way.';
      return json({ message }, { status: 202 });
    },
    requireOwnOrigin(deps),
  ),

  openRoute(
    resetPassword,
    async ({ body, requestInfo }) => {
      const { deviceToken } = await deps.commands.resetPassword({
        token: body.token,
        password: body.new_password,
        network: countedAddress(requestInfo.address),
        cause: requestOf(requestInfo),
      });
      return noContent({ 'Set-Cookie': afterReset(deps, requestInfo, deviceToken) });
    },
    requireOwnOrigin(deps),
  ),

  openRoute(
    proveMailbox,
    async ({ body, requestInfo }) => {
      await deps.commands.proveMailbox({ token: body.token, cause: requestOf(requestInfo) });
      return noContent();
    },
    requireOwnOrigin(deps),
  ),
];

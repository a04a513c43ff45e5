import { proveMailbox, requestPasswordReset, resetPassword } from '../../../contract/sign-in.ts';
import { newPasswordIn, resetRequestIn } from '../middleware/account-requests.ts';
import { requestOf } from '../middleware/build-call.ts';
import { json, noContent } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { ownOriginRoute, passwordResetCookies, type SessionDeps } from '../middleware/session.ts';

/** What links in mails are for: forgotten passwords, and proofs of mailboxes. */
export const links = (deps: SessionDeps<'proveMailbox' | 'requestPasswordReset' | 'resetPassword'>): Route[] => [
  ownOriginRoute(deps, requestPasswordReset, async ({ body, requestInfo }) => {
    await deps.commands.requestPasswordReset(resetRequestIn(requestInfo, body));
    const message = 'If this address has an account, a mail with a link is on its way.';
    return json({ message }, { status: 202 });
  }),

  ownOriginRoute(deps, resetPassword, async ({ body, requestInfo }) => {
    const { deviceToken } = await deps.commands.resetPassword(newPasswordIn(requestInfo, body));
    return noContent({ 'Set-Cookie': passwordResetCookies(deps, requestInfo, deviceToken) });
  }),

  ownOriginRoute(deps, proveMailbox, async ({ body, requestInfo }) => {
    await deps.commands.proveMailbox({ token: body.token, cause: requestOf(requestInfo) });
    return noContent();
  }),
];

import type { z } from 'zod';
import type { Commands } from '../../../commands.ts';
import type { logIn, registerAccount, requestPasswordReset, resetPassword } from '../../../contract/sign-in.ts';
import { requestOf } from './build-call.ts';
import { countedAddress } from './client-address.ts';
import { isTrapped } from './honeypots.ts';
import type { RequestInfo } from './route.ts';
import { deviceCookie, originOf, sessionToken } from './session.ts';

/*
 * What the commands of accounts take of a body and its request: the same from an endpoint and from a form.
 */

type Fields = Parameters<typeof isTrapped>[0];

const senderOf = (requestInfo: RequestInfo) => ({
  network: countedAddress(requestInfo.address),
  cause: requestOf(requestInfo),
});

/** What `register` takes. `fields`: all that were sent, traps included. */
export const registrationIn = (
  requestInfo: RequestInfo,
  body: z.output<typeof registerAccount.body>,
  fields: Fields,
) => ({
  ...{ email: body.email, password: body.password, name: body.name || null },
  proof: { token: body.captcha_token, answer: body.captcha_answer, response: body.captcha_response },
  isTrapped: isTrapped(fields),
  origin: originOf(requestInfo),
  ...senderOf(requestInfo),
});

/** What `logIn` takes. */
export const credentialsIn = (requestInfo: RequestInfo, { email, password }: z.output<typeof logIn.body>) => ({
  ...{ email, password, formerToken: sessionToken(requestInfo), deviceToken: deviceCookie.read(requestInfo) },
  origin: originOf(requestInfo),
  ...senderOf(requestInfo),
});

/** What `requestPasswordReset` takes. */
export const resetRequestIn = (requestInfo: RequestInfo, { email }: z.output<typeof requestPasswordReset.body>) => ({
  ...{ email, deviceToken: deviceCookie.read(requestInfo) },
  ...senderOf(requestInfo),
});

/** What `resetPassword` takes. */
export const newPasswordIn = (requestInfo: RequestInfo, body: z.output<typeof resetPassword.body>) => ({
  ...{ token: body.token, password: body.new_password },
  ...senderOf(requestInfo),
});

/** Ends the session of a request, if it has one. */
export const endSession = async ({ logOut }: Pick<Commands, 'logOut'>, requestInfo: RequestInfo): Promise<void> => {
  const token = sessionToken(requestInfo);
  if (token !== null) await logOut({ token, origin: originOf(requestInfo), cause: requestOf(requestInfo) });
};

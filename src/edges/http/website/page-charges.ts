import type { IncomingMessage } from 'node:http';
import type { Commands } from '../../../commands.ts';
import { type Call, readerOf } from '../../../kernel/call.ts';
import { requestOf } from '../middleware/build-call.ts';
import { countedAddress } from '../middleware/client-address.ts';
import { json } from '../middleware/response.ts';
import type { RequestInfo } from '../middleware/route.ts';
import { visitorCookie } from '../middleware/session.ts';
import { answerFormOnce, type FormDeps, type SentForm } from './answer-form-once.ts';

/** A signed-in user. */
export type PageUser = { readonly accountId: string; readonly userId: string };

/** How one request of a page does paid work. */
export type PageCharges = {
  /** Does paid work for the user, or for a visitor within the allowance of the day. */
  readonly pay: <Result>(work: (call: Call) => Promise<Result>) => Promise<Result>;
  /**
   * The same for a form with `once`: done and charged once, however often it is sent within a day; a repeat gets the
   * result that was kept as JSON, and other fields under the same `once` are refused. To be called before any other `pay`
   * of the request: those give a visitor without a cookie another account.
   */
  readonly payOnce: <Result>(work: (call: Call) => Promise<Result>) => Promise<Result>;
};

type ChargeDeps = FormDeps & {
  readonly commands: Pick<Commands, 'serveVisitor'>;
  readonly isSecure: (request: IncomingMessage) => boolean;
};

type Payer = Pick<SentForm, 'route' | 'form'> & {
  readonly user: PageUser | null;
  readonly cookies: string[];
  readonly callOf: (by: Pick<Call, 'accountId' | 'actor'>) => Call;
};

/** Pays for the work of one request: `callOf` makes its call for an account or a visitor. */
export const chargesOf = (
  deps: ChargeDeps,
  requestInfo: RequestInfo,
  { route, form, user, cookies, callOf }: Payer,
): PageCharges => {
  // A visitor who comes without a cookie is the same one for all work of this request.
  let token = visitorCookie.read(requestInfo);

  const pay = async <Result>(work: (call: Call) => Promise<Result>): Promise<Result> => {
    if (user !== null) {
      const { accountId, userId } = user;
      return await work(callOf({ accountId, actor: { type: 'user', id: userId } }));
    }
    const { result, newToken } = await deps.commands.serveVisitor(
      { token, network: countedAddress(requestInfo.address), cause: requestOf(requestInfo) },
      ({ accountId, cause: { actor }, allowance }) => work({ ...callOf({ accountId, actor }), allowance }),
    );
    if (newToken !== null) {
      token = newToken;
      cookies.push(visitorCookie.write(deps, requestInfo, newToken));
    }
    return result;
  };

  const payOnce = <Result>(work: (call: Call) => Promise<Result>): Promise<Result> =>
    pay(async (call) => {
      // Whoever keeps no cookies is known by the address, so that a form that is sent twice is one form.
      const accountId = call.allowance?.isNew === true ? call.accountId : readerOf(call);
      const sent = { accountId, sessionId: null, route, form, requestInfo };
      const { body } = await answerFormOnce(deps, sent, {
        work: async (attempt) => ({
          response: json(await work(attempt === null ? call : { ...call, ...attempt })),
          hasSecret: false,
        }),
        again: null,
      });
      return JSON.parse(String(body)) as Result;
    });

  return { pay, payOnce };
};

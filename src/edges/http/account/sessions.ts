import { listSessions, revokeSession } from '../../../contract/account.ts';
import { sessionAnswer } from '../middleware/account-answers.ts';
import { json, noContent } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { type SessionDeps, signedInBy, userRoute } from '../middleware/session.ts';

/** The open sessions of the account. */
export const accountSessions = (deps: SessionDeps<'openSessions' | 'revokeSession'>): Route[] => [
  userRoute(deps, listSessions, async ({ call, requestInfo }) => {
    const [open, current] = await Promise.all([
      deps.commands.openSessions(call.accountId),
      signedInBy(deps, requestInfo),
    ]);
    const currentId = current?.sessionId ?? null;
    return json({ sessions: open.map((session) => sessionAnswer(session, currentId)) });
  }),

  userRoute(deps, revokeSession, async ({ call, params }) => {
    const { accountId } = call;
    await deps.commands.revokeSession({ accountId, sessionId: params.id, cause: call });
    return noContent();
  }),
];

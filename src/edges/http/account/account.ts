import {
  eraseAccount,
  exportData,
  getAccount,
  listEvents,
  replacePassword,
  requestMailboxProof,
} from '../../../contract/account.ts';
import {
  creditsAnswer,
  eventsAnswer,
  personalDataFile,
  planAnswer,
  userAnswer,
} from '../middleware/account-answers.ts';
import { json, noContent } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { noSessionCookie, type SessionDeps, userRoute } from '../middleware/session.ts';

/** The operations on the own account. */
export const account = (
  deps: SessionDeps<
    'eraseAccount' | 'exportPersonalData' | 'originsOf' | 'profile' | 'replacePassword' | 'requestMailboxProof',
    'accountEvents' | 'accountOverview' | 'grants' | 'keys'
  >,
): Route[] => [
  userRoute(deps, getAccount, async ({ call }) => {
    const [profile, overview] = await Promise.all([
      deps.commands.profile(call.accountId),
      deps.queries.accountOverview(call.accountId),
    ]);
    const user = userAnswer(profile);
    return json({
      user,
      plan: planAnswer(overview.plan),
      credits: creditsAnswer(overview.credits),
      keys_active: overview.keysActive,
      webhooks_active: overview.webhooksActive,
      mailbox_proof_pending: overview.isProvisional,
      created_at: user.created_at,
    });
  }),

  userRoute(deps, listEvents, async ({ call, query }) => {
    const page = { limit: query.limit, before: query.before ?? null };
    const { events, nextBefore } = await deps.queries.accountEvents(call.accountId, page);
    const requestIds = events.flatMap(({ requestId }) => requestId ?? []);
    const origins = await deps.commands.originsOf(call.accountId, requestIds);
    return json({ events: eventsAnswer(events, origins), next_before: nextBefore });
  }),

  userRoute(deps, requestMailboxProof, async ({ call }) => {
    await deps.commands.requestMailboxProof({ accountId: call.accountId, cause: call });
    return json({ message: 'A mail with a link is on its way.' }, { status: 202 });
  }),

  userRoute(deps, replacePassword, async ({ call, body, requestInfo }) => {
    await deps.commands.replacePassword({
      accountId: call.accountId,
      cause: call,
      current: body.current_password,
      next: body.new_password,
    });
    return noContent({ 'Set-Cookie': noSessionCookie(deps, requestInfo) });
  }),

  userRoute(deps, exportData, ({ call }) => personalDataFile(deps, call)),

  userRoute(deps, eraseAccount, async ({ call, body, requestInfo }) => {
    await deps.commands.eraseAccount({ accountId: call.accountId, cause: call, password: body.password });
    return noContent({ 'Set-Cookie': noSessionCookie(deps, requestInfo) });
  }),
];

import type { z } from 'zod';
import type { Commands } from '../../../commands.ts';
import { creditsSchema, eventSchema, planSchema, sessionSchema, userSchema } from '../../../contract/account.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import { capAnswer } from '../../../contract/caps.ts';
import { keySchema } from '../../../contract/keys.ts';
import { grantSchema } from '../../../contract/oauth.ts';
import type { Call } from '../../../kernel/call.ts';
import type { AccountEventView, CreditStatus, GrantView, KeyView, Plan, Queries } from '../../../queries.ts';
import { type HttpResponse, json } from './response.ts';
import type { Application } from './route.ts';

const userOf = answerOf(userSchema);
const planOf = answerOf(planSchema);
const creditsOf = answerOf(creditsSchema);
const sessionOf = answerOf(sessionSchema);
const keyOf = answerOf(keySchema);
const grantOf = answerOf(grantSchema);
const eventOf = answerOf(eventSchema);

/** The user of a profile. */
export const userAnswer = (profile: Awaited<ReturnType<Commands['profile']>>) =>
  userOf(profile, { id: profile.userId, created_at: profile.registeredAt.toISOString() });

/** A plan. */
export const planAnswer = (plan: Plan) =>
  planOf(plan, { credits: plan.includedCredits, rate_limit_per_min: plan.limitPerMinute });

/** The user and the plan after registering and signing in. */
export const signedInAnswer = (profile: Parameters<typeof userAnswer>[0], plan: Plan) => ({
  user: userAnswer(profile),
  plan: planAnswer(plan),
});

/** What is left of the credits. */
export const creditsAnswer = (credits: CreditStatus) =>
  creditsOf(credits, {
    low: credits.isLow,
    exhausted: credits.isExhausted,
    unlimited: credits.isUnlimited,
    upgrade_available: credits.isUpgradeAvailable,
  });

/** A session, without its token. */
export const sessionAnswer = (
  session: Awaited<ReturnType<Commands['openSessions']>>[number],
  currentId: string | null,
) =>
  sessionOf(session, {
    id: session.sessionId,
    current: session.sessionId === currentId,
    created_at: session.startedAt.toISOString(),
    last_seen_at: session.renewedAt.toISOString(),
    expires_at: session.idleEndsAt.toISOString(),
  });

/** A key, without its secret. */
export const keyAnswer = (key: KeyView) =>
  keyOf(key, {
    id: key.keyId,
    key_prefix: key.prefix,
    ...capAnswer(key),
    links: { ledger: `/api/account/ledger?key_id=${key.keyId}` },
  });

/** An authorized application. */
export const grantAnswer = (grant: GrantView) => grantOf(grant, { id: grant.authorizationId });

type Origin = Awaited<ReturnType<Commands['originsOf']>>[number];

/** Events with where they came from, as long as that is kept. */
export const eventsAnswer = (
  events: readonly AccountEventView[],
  origins: readonly Origin[],
): z.input<typeof eventSchema>[] => {
  const byRequest = new Map(origins.map((origin) => [origin.requestId, origin]));
  return events.map((event) => {
    // Callers with a key choose their request ids, so only ids of web requests identify an address.
    const origin = event.channel === 'web' ? byRequest.get(event.requestId ?? '') : undefined;
    return eventOf(event, {
      id: event.eventId,
      origin: origin === undefined ? null : { ip: origin.ip, user_agent: origin.userAgent },
    });
  });
};

/** An account may have years of history: all pages are read. */
const wholeHistory = async (
  { queries }: Application<never, 'accountEvents'>,
  accountId: string,
): Promise<readonly AccountEventView[]> => {
  const all: AccountEventView[] = [];
  let before: string | null = null;
  do {
    const page: Awaited<ReturnType<Queries['accountEvents']>> = await queries.accountEvents(accountId, {
      limit: 1_000,
      before,
    });
    all.push(...page.events);
    before = page.nextBefore;
  } while (before !== null);
  return all;
};

/** The personal data as a file. */
export const personalDataFile = async (
  deps: Application<'exportPersonalData', 'accountEvents' | 'grants' | 'keys'>,
  call: Call,
): Promise<HttpResponse> => {
  const { accountId } = call;
  const data = await deps.commands.exportPersonalData({ accountId, cause: call });
  const [keys, grants, events] = await Promise.all([
    deps.queries.keys(accountId),
    deps.queries.grants(accountId),
    wholeHistory(deps, accountId),
  ]);
  const body = {
    user: userAnswer(data.profile),
    sessions: data.sessions.map((session) => sessionAnswer(session, null)),
    origins: data.origins.map(({ requestId, at, ip, userAgent }) => ({
      request_id: requestId,
      at: at.toISOString(),
      ip,
      user_agent: userAgent,
    })),
    keys: keys.map(keyAnswer),
    grants: grants.map(grantAnswer),
    events: eventsAnswer(events, data.origins),
  };
  const headers = { 'Content-Disposition': 'attachment; filename="personal-data.json"' };
  return json(body, { headers });
};

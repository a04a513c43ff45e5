import { z } from 'zod';
import type { Commands } from '../../../commands.ts';
import type { OpenEndpoint } from '../../../contract/endpoint.ts';
import { pageOf, timestamp } from '../../../contract/schemas.ts';
import type { Call } from '../../../kernel/call.ts';
import { invalidRequest, type Refusal } from '../../../kernel/refusal.ts';
import type { AccountEventView, CreditStatus, KeyView, Queries } from '../../../queries.ts';
import { type HttpResponse, json, noContent } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { noSessionCookie, ofUser, type SessionDeps, userRoute } from '../middleware/session.ts';
import { planJson, planSchema, userJson, userSchema } from './auth-json.ts';
import { keyJson, keySchema } from './keys.ts';
import { sessionJson, sessionSchema } from './sessions.ts';

const common = { ...ofUser, tag: 'Account' } as const;

export const creditsSchema = z
  .object({
    included: z.int(),
    remaining: z.int(),
    threshold: z.int(),
    low: z.boolean(),
    exhausted: z.boolean(),
    unlimited: z.boolean(),
    upgrade_available: z.boolean(),
    upgrade_nudge: z.string().nullable(),
  })
  .meta({ id: 'Credits' });

export const creditsJson = (credits: CreditStatus): z.input<typeof creditsSchema> => ({
  included: credits.included,
  remaining: credits.remaining,
  threshold: credits.threshold,
  low: credits.isLow,
  exhausted: credits.isExhausted,
  unlimited: credits.isUnlimited,
  upgrade_available: credits.isUpgradeAvailable,
  upgrade_nudge: credits.upgradeNudge,
});

const getAccount = {
  ...common,
  id: 'getAccount',
  method: 'GET',
  path: '/api/account/me',
  summary: 'The account that is signed in',
  description: 'The user, the plan and the credits of the present period.',
  answers: {
    200: {
      description: 'The account.',
      schema: z
        .object({
          user: userSchema,
          plan: planSchema,
          credits: creditsSchema,
          keys_active: z.int(),
          webhooks_active: z.int(),
          mailbox_proof_pending: z.boolean(),
          created_at: z.iso.datetime(),
        })
        .meta({ id: 'Account' }),
    },
  },
} satisfies OpenEndpoint;

const requestMailboxProof = {
  ...common,
  id: 'requestMailboxProof',
  method: 'POST',
  path: '/api/account/mailbox',
  summary: 'Ask for another link that proves the mailbox',
  description: 'Nothing is sent once the mailbox is proved. 404 where this service sends no mail.',
  answers: {
    202: {
      description: 'A mail with a link follows.',
      schema: z
        .object({ message: z.string().meta({ description: 'What happens next, for people.' }) })
        .meta({ id: 'MailboxProofRequested' }),
    },
  },
  refusals: ['NOT_FOUND'],
} satisfies OpenEndpoint;

const newPassword = z.string().meta({ format: 'password', minLength: 8, maxLength: 256 });

const replacePassword = {
  ...common,
  id: 'replacePassword',
  method: 'POST',
  path: '/api/account/password',
  summary: 'Replace the password',
  description: 'Ends every session of the account, this one too.',
  body: z.strictObject({ current_password: z.string(), new_password: newPassword }),
  answers: { 204: { description: 'The new password is good, the old one is not.' } },
  refusals: ['INVALID_CREDENTIALS'],
} satisfies OpenEndpoint;

const eventSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    occurred_at: timestamp,
    actor: z.object({ type: z.string(), id: z.string() }).nullable(),
    channel: z.string().nullable(),
    request_id: z.string().nullable(),
    origin: z
      .object({ ip: z.string(), user_agent: z.string().nullable() })
      .nullable()
      .meta({ description: 'Where the request came from, as long as it is kept.' }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AccountEvent' });

const listEvents = {
  ...common,
  id: 'listAccountEvents',
  method: 'GET',
  path: '/api/account/events',
  summary: 'What was done to this account, by whom, from where',
  description: 'Sign-ins, keys, plans and whatever else was done to the account, and by whom.',
  query: z.object(pageOf('Events')),
  answers: {
    200: {
      description: 'The newest first.',
      schema: z
        .object({ events: z.array(eventSchema), next_before: z.string().nullable() })
        .meta({ id: 'AccountEvents' }),
    },
  },
} satisfies OpenEndpoint;

const exportData = {
  ...common,
  id: 'exportPersonalData',
  method: 'POST',
  path: '/api/account/export',
  summary: 'A copy of everything that is kept about the person',
  description: 'Everything personal that is kept of the owner, in one document.',
  answers: {
    200: {
      description: 'The copy; the books are under /api/account/ledger.',
      headers: { 'Content-Disposition': 'The copy is saved as a file.' },
      schema: z
        .object({
          user: userSchema,
          sessions: z.array(sessionSchema),
          origins: z.array(
            z.object({
              request_id: z.string(),
              at: z.iso.datetime(),
              ip: z.string(),
              user_agent: z.string().nullable(),
            }),
          ),
          keys: z.array(keySchema),
          events: z.array(eventSchema),
        })
        .meta({ id: 'PersonalData' }),
    },
  },
} satisfies OpenEndpoint;

const eraseAccount = {
  ...common,
  id: 'eraseAccount',
  method: 'POST',
  path: '/api/account/erase',
  summary: 'Erase the person behind the account',
  description:
    'Name, address, password and sessions are deleted, keys and webhooks end. The books stay, under an id that names nobody. The address can be registered again a day later.',
  body: z.strictObject({ password: z.string() }),
  answers: { 204: { description: 'It is done, for good.' } },
  refusals: ['INVALID_CREDENTIALS'],
} satisfies OpenEndpoint;

export const accountEndpoints = [
  getAccount,
  requestMailboxProof,
  replacePassword,
  listEvents,
  exportData,
  eraseAccount,
] as const;

type Deps = SessionDeps & {
  readonly commands: Pick<
    Commands,
    | 'authenticate'
    | 'profile'
    | 'replacePassword'
    | 'requestMailboxProof'
    | 'exportPersonalData'
    | 'eraseAccount'
    | 'originsOf'
  >;
  readonly queries: Pick<Queries, 'accountOverview' | 'accountEvents' | 'keys'>;
};

type Origin = Awaited<ReturnType<Commands['originsOf']>>[number];

/** The operations on the own account. */
export const account = (deps: Deps): Route[] => [...reading(deps), ...changing(deps)];

const reading = (deps: Deps): Route[] => [
  userRoute(deps, getAccount, async ({ call }) => {
    const [profile, overview] = await Promise.all([
      deps.commands.profile(call.accountId),
      deps.queries.accountOverview(call.accountId),
    ]);
    const user = userJson(profile);
    return json({
      user,
      plan: planJson(overview.plan),
      credits: creditsJson(overview.credits),
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
    return json({ events: eventsJson(events, origins), next_before: nextBefore });
  }),
];

/** An account may have years of history: all pages are read. */
const wholeHistory = async (
  { queries }: Pick<Deps, 'queries'>,
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
export const personalDataFile = async (deps: Pick<Deps, 'commands' | 'queries'>, call: Call): Promise<HttpResponse> => {
  const { accountId } = call;
  const data = await deps.commands.exportPersonalData({ accountId, cause: call });
  const [keys, events] = await Promise.all([deps.queries.keys(accountId), wholeHistory(deps, accountId)]);
  const body = {
    user: userJson(data.profile),
    sessions: data.sessions.map((session) => sessionJson(session, null)),
    origins: data.origins.map(({ requestId, at, ip, userAgent }) => ({
      request_id: requestId,
      at: at.toISOString(),
      ip,
      user_agent: userAgent,
    })),
    keys: keys.map((key: KeyView) => keyJson(key)),
    events: eventsJson(events, data.origins),
  };
  const headers = { 'Content-Disposition': 'attachment; filename="personal-data.json"' };
  return json(body, { headers });
};

const changing = (deps: Deps): Route[] => [
  userRoute(deps, requestMailboxProof, async ({ call }) => {
    await deps.commands.requestMailboxProof({
      accountId: call.accountId,
      cause: call,
    });
    return json({ message: 'A mail with a link is on its way.' }, { status: 202 });
  }),

  userRoute(deps, replacePassword, async ({ call, body, requestInfo }) => {
    if (body.current_password === body.new_password) throw sameAgain();
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
    await deps.commands.eraseAccount({
      accountId: call.accountId,
      cause: call,
      password: body.password,
    });
    return noContent({ 'Set-Cookie': noSessionCookie(deps, requestInfo) });
  }),
];

const sameAgain = (): Refusal => {
  const message = 'The new password is the present one.';
  return invalidRequest(message, { path: 'new_password', code: 'same' });
};

const eventsJson = (events: readonly AccountEventView[], origins: readonly Origin[]): z.input<typeof eventSchema>[] => {
  const byRequest = new Map(origins.map((origin) => [origin.requestId, origin]));
  return events.map((event) => {
    // Callers with a key choose their request ids, so only ids of web requests identify an address.
    const origin = event.channel === 'web' ? byRequest.get(event.requestId ?? '') : undefined;
    return {
      id: event.eventId,
      type: event.type,
      occurred_at: event.occurredAt,
      actor: event.actor,
      channel: event.channel,
      request_id: event.requestId,
      origin: origin === undefined ? null : { ip: origin.ip, user_agent: origin.userAgent },
      data: { ...event.data },
    };
  });
};

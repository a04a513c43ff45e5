import { z } from 'zod';
import type { Commands } from '../../../commands.ts';
import type { OpenEndpoint } from '../../../contract/endpoint.ts';
import { listedId } from '../../../contract/schemas.ts';
import { json, noContent } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { ofUser, type SessionDeps, sessionToken, userRoute } from '../middleware/session.ts';

const common = { ...ofUser, tag: 'Account' } as const;

/** An open session. */
export const sessionSchema = z
  .object({
    id: z.string(),
    current: z.boolean().meta({ description: 'The session of this request.' }),
    created_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().meta({ description: 'To the day.' }),
    expires_at: z.iso.datetime().meta({ description: 'Without further use.' }),
    ip: z.string(),
    user_agent: z.string().nullable(),
  })
  .meta({ id: 'Session' });

const listSessions = {
  ...common,
  id: 'listSessions',
  method: 'GET',
  path: '/api/account/sessions',
  summary: 'Where this account is signed in',
  description: 'Where the owner is signed in.',
  answers: {
    200: {
      description: 'The newest first.',
      schema: z.object({ sessions: z.array(sessionSchema) }).meta({ id: 'Sessions' }),
    },
  },
} satisfies OpenEndpoint;

const revokeSession = {
  ...common,
  id: 'revokeSession',
  method: 'DELETE',
  path: '/api/account/sessions/:id',
  summary: 'End one session',
  description: 'Whoever holds it has to sign in again.',
  params: listedId,
  answers: { 204: { description: 'It has ended.' } },
  refusals: ['NOT_FOUND'],
} satisfies OpenEndpoint;

export const sessionEndpoints = [listSessions, revokeSession] as const;

type Deps = SessionDeps & {
  readonly commands: Pick<Commands, 'authenticate' | 'openSessions' | 'revokeSession'>;
};

type Session = Awaited<ReturnType<Commands['openSessions']>>[number];

/** The open sessions of the account. */
export const accountSessions = (deps: Deps): Route[] => [
  userRoute(deps, listSessions, async ({ call, requestInfo }) => {
    const token = sessionToken(requestInfo);
    const [open, current] = await Promise.all([
      deps.commands.openSessions(call.accountId),
      token === null ? null : deps.commands.authenticate(token),
    ]);
    const currentId = current?.session.sessionId ?? null;
    return json({ sessions: open.map((session) => sessionJson(session, currentId)) });
  }),

  userRoute(deps, revokeSession, async ({ call, params }) => {
    const { accountId } = call;
    await deps.commands.revokeSession({ accountId, sessionId: params.id, cause: call });
    return noContent();
  }),
];

/** A session as JSON of the API, without its token. */
export const sessionJson = (session: Session, currentId: string | null): z.input<typeof sessionSchema> => ({
  id: session.sessionId,
  current: session.sessionId === currentId,
  created_at: session.startedAt.toISOString(),
  last_seen_at: session.renewedAt.toISOString(),
  expires_at: session.idleEndsAt.toISOString(),
  ip: session.ip,
  user_agent: session.userAgent,
});

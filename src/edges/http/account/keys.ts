import type { Commands } from '../../../commands.ts';
import { createKey, listKeys, revokeKey, rollKey } from '../../../contract/keys.ts';
import type { Queries } from '../../../queries.ts';
import { keyAnswer } from '../middleware/account-answers.ts';
import { json, noContent } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { type SessionDeps, userRoute } from '../middleware/session.ts';

type Deps = SessionDeps & {
  readonly commands: Pick<Commands, 'createKey' | 'rollKey' | 'revokeKey'>;
  readonly queries: Pick<Queries, 'keys'>;
};

const hourMs = 3_600_000;

/** Keys of the signed-in account. */
export const accountKeys = (deps: Deps): Route[] => [
  userRoute(deps, listKeys, async ({ call }) => {
    const keys = await deps.queries.keys(call.accountId);
    return json({ keys: keys.map(keyAnswer) });
  }),

  userRoute(deps, createKey, async ({ call, body }) => {
    const { key, fullKey } = await deps.commands.createKey(call, {
      name: body.name,
      scopes: [...new Set(body.scopes)],
      capCredits: body.monthly_cap_credits ?? null,
      expiresAt: body.expires_at ?? null,
    });
    return json({ key: { ...keyAnswer(key), fullKey } }, { status: 201 });
  }),

  userRoute(deps, rollKey, async ({ call, params, body }) => {
    const { key, fullKey } = await deps.commands.rollKey(call, {
      keyId: params.id,
      overlapMs: Math.round(body.overlap_hours * hourMs),
    });
    return json({ key: { ...keyAnswer(key), fullKey } }, { status: 201 });
  }),

  userRoute(deps, revokeKey, async ({ call, params }) => {
    await deps.commands.revokeKey(call, { keyId: params.id });
    return noContent();
  }),
];

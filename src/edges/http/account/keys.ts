import type { z } from 'zod';
import { newCap } from '../../../contract/caps.ts';
import { changeKey, createKey, listKeys, revokeKey, rollKey } from '../../../contract/keys.ts';
import { hourMs } from '../../../kernel/clock.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import { keyAnswer } from '../middleware/account-answers.ts';
import { json, noContent } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { type SessionDeps, userRoute } from '../middleware/session.ts';

/** The cap of a new key. Its older name is taken where it says nothing else. */
const wantedCap = (body: z.output<typeof createKey.body>) => {
  const { cap_credits: cap, monthly_cap_credits: monthly, cap_period: capPeriod, warn_at: warnAt } = body;
  const isMonthly = (capPeriod ?? 'period') === 'period';
  const isOther = (monthly ?? null) !== null && (!isMonthly || (cap !== undefined && monthly !== cap));
  if (isOther) {
    const message = 'monthly_cap_credits is an older name of cap_credits and has a different value here.';
    throw invalidRequest(message, { path: 'monthly_cap_credits', code: 'contradiction' });
  }
  return newCap({ capCredits: cap ?? monthly, capPeriod, warnAt });
};

/** Keys of the signed-in account. */
export const accountKeys = (
  deps: SessionDeps<'createKey' | 'revokeKey' | 'rollKey' | 'setKeyCap', 'keys'>,
): Route[] => [
  userRoute(deps, listKeys, async ({ call }) => {
    const keys = await deps.queries.keys(call.accountId);
    return json({ keys: keys.map(keyAnswer) });
  }),

  userRoute(deps, createKey, async ({ call, body }) => {
    const { key, fullKey } = await deps.commands.createKey(call, {
      name: body.name,
      scopes: [...new Set(body.scopes)],
      ...wantedCap(body),
      expiresAt: body.expires_at ?? null,
    });
    return json({ key: { ...keyAnswer(key), fullKey } }, { status: 201 });
  }),

  userRoute(deps, changeKey, async ({ call, params, body }) => {
    const { cap_credits, cap_period, warn_at } = body;
    await deps.commands.setKeyCap(call, {
      keyId: params.id,
      ...(cap_credits === undefined ? {} : { capCredits: cap_credits }),
      ...(cap_period === undefined ? {} : { capPeriod: cap_period }),
      ...(warn_at === undefined ? {} : { warnAt: warn_at }),
    });
    const key = (await deps.queries.keys(call.accountId)).find(({ keyId }) => keyId === params.id);
    if (key === undefined)
      throw new Refusal('SERVICE_UNAVAILABLE', 'The key was changed but cannot be shown yet.', null, 1);
    return json({ key: keyAnswer(key) });
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

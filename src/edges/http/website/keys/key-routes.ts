import { createKey } from '../../../../contract/keys.ts';
import { Refusal } from '../../../../kernel/refusal.ts';
import type { Route } from '../../middleware/route.ts';
import { orRefused, redirect, type SecretPage, type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { confirmedForm } from '../parts/confirmed-form.ts';
import { bodyOf } from '../parts/form-body.ts';
import { toldIn } from '../refusal-text.ts';
import { type KeysView, keysPage } from './keys-page.tsx';

/** The API keys of an account. */
export const keyRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account/keys' }, (request) => shownKeys(deps, request, {})),
  userPage(
    deps,
    {
      method: 'POST',
      path: '/account/keys',
      // The form, sent again when the secret is not shown any more.
      again: (request) => shownKeys(deps, request, { isMadeBefore: true }),
    },
    (request) =>
      orRefused(
        () => newKey(deps, request),
        (refusal) => shownKeys(deps, request, { wrong: toldIn(request.context.words, refusal) }),
      ),
  ),
  ...confirmedForm(deps, '/account/keys/:id/roll', {
    ask: async (request) => ({
      ...(await aboutKey(deps, request)),
      ...request.context.words.questions.rollKey,
      button: request.context.words.keys.roll,
    }),
    work: async (request) => {
      const { call, params } = request;
      const wanted = { keyId: params['id'] ?? '', overlapMs: 24 * 3_600_000 };
      const { fullKey, key } = await deps.commands.rollKey(call, wanted);
      const made = { fullKey, name: key.name };
      return { secretHtml: await shownKeys(deps, request, { made }) };
    },
    again: (request) => shownKeys(deps, request, { isMadeBefore: true }),
  }),
  ...confirmedForm(deps, '/account/keys/:id/revoke', {
    ask: async (request) => ({
      ...(await aboutKey(deps, request)),
      ...request.context.words.questions.revokeKey,
      button: request.context.words.keys.revoke,
    }),
    work: async ({ call, params }) => {
      await deps.commands.revokeKey(call, { keyId: params['id'] ?? '' });
      return redirect('/account/keys');
    },
  }),
];

const shownKeys = async (
  deps: WebsiteDeps,
  { context, user }: UserRequest,
  more: Partial<Pick<KeysView, 'made' | 'wrong' | 'isMadeBefore'>>,
): Promise<string> =>
  keysPage(context, {
    keys: await deps.queries.keys(user.accountId),
    ...{ made: null, wrong: null, isMadeBefore: false },
    ...more,
    now: deps.clock().toISOString(),
  });

const aboutKey = async ({ queries }: WebsiteDeps, { user, params }: UserRequest) => {
  const key = (await queries.keys(user.accountId)).find(({ keyId }) => keyId === params['id']);
  if (key === undefined) throw new Refusal('KEY_NOT_FOUND', 'This account has no such key.');
  return { named: `${key.name} ${key.prefix}…`, back: '/account/keys' };
};

const newKey = async (deps: WebsiteDeps, request: UserRequest): Promise<SecretPage> => {
  const { form, call, context } = request;
  const cap = (form.get('cap') ?? '').trim();
  const { name, scopes, monthly_cap_credits } = bodyOf(createKey, {
    name: (form.get('name') ?? '').trim() || context.words.keys.defaultName,
    monthly_cap_credits: cap === '' ? null : Number(cap),
  });
  const { fullKey } = await deps.commands.createKey(call, {
    name,
    scopes,
    capCredits: monthly_cap_credits ?? null,
    expiresAt: null,
  });
  return { secretHtml: await shownKeys(deps, request, { made: { fullKey, name } }) };
};

import { newCap } from '../../../../contract/caps.ts';
import { keyScopes } from '../../../../contract/key-scopes.ts';
import { createKey, keyOverlapHours } from '../../../../contract/keys.ts';
import { invalidRequest, Refusal } from '../../../../kernel/refusal.ts';
import type { Route } from '../../middleware/route.ts';
import { redirect, type SecretPage, type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { bodyOf, numberIn, numberOf } from '../parts/form-body.ts';
import { confirmedForm } from '../parts/question.tsx';
import { fill, hours } from '../words.ts';
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
      refused: (request, wrong) => shownKeys(deps, request, { wrong }),
    },
    (request) => newKey(deps, request),
  ),
  ...confirmedForm(deps, '/account/keys/:id/roll', {
    ask: asked(deps, 'rollKey', 'roll'),
    work: async (request) => {
      const { call, params } = request;
      const wanted = { keyId: params['id'] ?? '', overlapMs: keyOverlapHours * 3_600_000 };
      const { fullKey, key } = await deps.commands.rollKey(call, wanted);
      const made = { fullKey, name: key.name };
      return { secretHtml: await shownKeys(deps, request, { made }) };
    },
    again: (request) => shownKeys(deps, request, { isMadeBefore: true }),
  }),
  ...confirmedForm(deps, '/account/keys/:id/revoke', {
    ask: asked(deps, 'revokeKey', 'revoke'),
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

/** The question about the key of the address. */
const asked =
  ({ queries }: WebsiteDeps, question: 'rollKey' | 'revokeKey', button: 'roll' | 'revoke') =>
  async ({ context, user, params }: UserRequest) => {
    const key = (await queries.keys(user.accountId)).find(({ keyId }) => keyId === params['id']);
    if (key === undefined) throw new Refusal('KEY_NOT_FOUND', 'This account has no such key.');
    const { questions, keys: words, language } = context.words;
    const { title, text } = questions[question];
    const told = { title, text: fill(text, { overlap: hours(language, keyOverlapHours) }) };
    return { named: `${key.name} ${key.prefix}…`, back: '/account/keys', ...told, button: words[button] };
  };

/** Percentages as they are typed: `50, 80 %`. One that is no number is refused by its endpoint. */
const sharesIn = (text: string): (number | string)[] =>
  text.split(/[\s,;%]+/).flatMap((share) => (share === '' ? [] : numberOf(share)));

const newKey = async (deps: WebsiteDeps, request: UserRequest): Promise<SecretPage> => {
  const { form, call, context } = request;
  const cap = numberIn(form, 'cap');
  const warnings = form.get('warn_at');
  const until = (form.get('expires_at') ?? '').trim();
  // Without any box the key could do nothing; the API takes an empty list for everything.
  const scopes = form.getAll('scopes');
  if (form.has('expires_at') && scopes.length === 0) {
    throw invalidRequest('A key needs at least one scope.', { path: 'scopes', code: 'too_small' });
  }
  const body = bodyOf(createKey, {
    name: (form.get('name') ?? '').trim() || context.words.keys.defaultName,
    cap_credits: cap,
    cap_period: form.get('cap_period') ?? undefined,
    scopes: scopes.length === keyScopes.length ? [] : scopes,
    expires_at: until === '' ? null : `${until}T23:59:59.999Z`,
    warn_at: cap === null || warnings === null ? undefined : sharesIn(warnings),
  });
  const { fullKey } = await deps.commands.createKey(call, {
    name: body.name,
    scopes: body.scopes,
    ...newCap({ capCredits: body.cap_credits, capPeriod: body.cap_period, warnAt: body.warn_at }),
    expiresAt: body.expires_at ?? null,
  });
  return { secretHtml: await shownKeys(deps, request, { made: { fullKey, name: body.name } }) };
};

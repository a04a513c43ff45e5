import { createHmac, timingSafeEqual } from 'node:crypto';
import { capCredits, keyName } from '../../../contract/keys.ts';
import { type WebhookKind, webhookKinds } from '../../../contract/webhook-events.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import { keyIdOf, ledgerFilters } from '../account/usage.ts';
import type { Route } from '../middleware/route.ts';
import { confirmedForm } from './confirmed-form.ts';
import {
  beforeIn,
  orRefused,
  own,
  type PageResult,
  redirect,
  repeatable,
  type SecretPage,
  type UserRequest,
  userPage,
  type WebsiteDeps,
} from './page.ts';
import { overviewPage, plansPage } from './pages/account.tsx';
import { type KeysView, keysPage } from './pages/keys.tsx';
import { type LedgerFilter, ledgerPage, receiptPage } from './pages/ledger.tsx';
import { usagePage } from './pages/usage.tsx';
import {
  type CheckVerdict,
  checkerPage,
  type WebhooksView,
  type WebhookView,
  webhookPage,
  webhooksPage,
} from './pages/webhooks.tsx';
import { toldIn } from './refusal-text.ts';

/** Everything that the account API can do, as pages of whoever is signed in. */
export const accountPages = (deps: WebsiteDeps): Route[] => [
  ...overview(deps),
  ...keys(deps),
  ...books(deps),
  ...webhooks(deps),
  ...oneWebhook(deps),
];

const overview = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account' }, async ({ context, query, user }) => {
    const { accountId } = user;
    const [profile, found, usage] = await Promise.all([
      deps.commands.profile(accountId),
      deps.queries.accountOverview(accountId),
      deps.queries.accountUsage(accountId, 1),
    ]);
    return overviewPage(context, {
      ...found,
      ...usage,
      plan: found.plan,
      credits: found.credits,
      email: profile.email,
      name: profile.name,
      createdAt: profile.registeredAt.toISOString(),
      reserved: usage.creditsReserved,
      isProofSent: query.get('told') === 'proof',
    });
  }),
  userPage(deps, { method: 'POST', path: '/account/mailbox' }, async (request) => {
    await deps.commands.requestMailboxProof(own(request));
    return redirect('/account?told=proof');
  }),
  userPage(deps, { method: 'GET', path: '/account/plans' }, async ({ context, user: { accountId } }) => {
    const { plan, credits } = await deps.queries.accountOverview(accountId);
    return plansPage(context, { ...deps.queries.plans(), current: plan.key, credits });
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

/** A page with a new secret; its form, sent again when the secret is not shown any more, gets the page of `again`. */
const secretPage = (
  deps: WebsiteDeps,
  path: string,
  {
    make,
    again,
  }: {
    readonly make: (request: UserRequest) => Promise<PageResult>;
    readonly again: (request: UserRequest) => Promise<string>;
  },
): Route => userPage(deps, { method: 'POST', path, again }, make);

const keys = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account/keys' }, (request) => shownKeys(deps, request, {})),
  secretPage(deps, '/account/keys', {
    make: (request) =>
      orRefused(
        () => newKey(deps, request),
        (refusal) => shownKeys(deps, request, { wrong: toldIn(request.context.words, refusal) }),
      ),
    again: (request) => shownKeys(deps, request, { isMadeBefore: true }),
  }),
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

const aboutKey = async ({ queries }: WebsiteDeps, { user, params }: UserRequest) => {
  const key = (await queries.keys(user.accountId)).find(({ keyId }) => keyId === params['id']);
  if (key === undefined) throw new Refusal('KEY_NOT_FOUND', 'This account has no such key.');
  return { named: `${key.name} ${key.prefix}…`, back: '/account/keys' };
};

const newKey = async (deps: WebsiteDeps, request: UserRequest): Promise<SecretPage> => {
  const { form, call, context } = request;
  const name = (form.get('name') ?? '').trim() || context.words.keys.defaultName;
  const cap = (form.get('cap') ?? '').trim();
  if (!keyName.safeParse(name).success) {
    throw invalidRequest('The name of a key has 1 to 100 characters.', {
      path: 'name',
      code: 'malformed',
    });
  }
  if (cap !== '' && !(/^\d+$/.test(cap) && capCredits.safeParse(Number(cap)).success)) {
    throw invalidRequest('The cap is a whole number of credits.', {
      path: 'cap',
      code: 'malformed',
    });
  }
  const { fullKey } = await deps.commands.createKey(call, {
    name,
    scopes: [],
    capCredits: cap === '' ? null : Number(cap),
    expiresAt: null,
  });
  return { secretHtml: await shownKeys(deps, request, { made: { fullKey, name } }) };
};

const pageSize = 50;

const books = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account/usage' }, async ({ context, query, user: { accountId } }) => {
    const wanted = Number(query.get('days') ?? 30);
    const days = Number.isInteger(wanted) && wanted >= 1 && wanted <= 366 ? wanted : 30;
    const [usage, known] = await Promise.all([
      deps.queries.accountUsage(accountId, days),
      deps.queries.keys(accountId),
    ]);
    return usagePage(context, { usage, days, keys: known });
  }),
  userPage(deps, { method: 'GET', path: '/account/ledger' }, (request) => ledger(deps, request, {})),
  userPage(deps, { method: 'GET', path: '/account/requests/:id' }, (request) =>
    ledger(deps, request, { request_id: request.params['id'] ?? '' }),
  ),
  userPage(deps, { method: 'GET', path: '/account/ledger/:id' }, async ({ context, params, user: { accountId } }) => {
    return receiptPage(context, await deps.queries.ledgerEntry(accountId, params['id'] ?? ''));
  }),
];

const ledger = async (
  deps: WebsiteDeps,
  { context, query, user: { accountId } }: UserRequest,
  fixed: LedgerFilter,
): Promise<string> => {
  // The same rules as the endpoint of the account: a day that is no day is refused by its name.
  const asked = ledgerFilters.parse({ ...Object.fromEntries(query), ...fixed });
  const { entries, nextBefore } = await deps.queries.ledger(accountId, {
    limit: pageSize,
    before: asked.before ?? null,
    requestId: asked.request_id ?? null,
    day: asked.day ?? null,
    kind: asked.kind ?? null,
    keyId: keyIdOf(asked),
    usedSince: asked.used_since ?? null,
  });
  const filter = Object.fromEntries(
    (['day', 'kind', 'key_id', 'request_id', 'used_since'] as const).flatMap((name) => {
      const value = asked[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return ledgerPage(context, { entries, filter, nextBefore });
};

const webhooks = (deps: WebsiteDeps): Route[] => {
  const shown = async (
    { context, user }: UserRequest,
    more: Partial<Pick<WebhooksView, 'secret' | 'refused' | 'isMadeBefore'>>,
  ) =>
    webhooksPage(context, {
      webhooks: await deps.queries.webhooks(user.accountId),
      ...{ secret: null, refused: null, isMadeBefore: false },
      ...more,
    });
  const again = (request: UserRequest) => shown(request, { isMadeBefore: true });
  return [
    userPage(deps, { method: 'GET', path: '/account/webhooks' }, (request) => shown(request, {})),
    secretPage(deps, '/account/webhooks', {
      make: (request) => {
        const { form, call } = request;
        const url = (form.get('url') ?? '').trim();
        const chosen = form.getAll('events');
        const kinds: WebhookKind[] = webhookKinds.filter((kind) => chosen.includes(kind));
        return orRefused(
          async () => {
            const { secret } = await deps.commands.registerWebhook(call, {
              url,
              kinds: kinds.length === 0 ? [...webhookKinds] : kinds,
              description: (form.get('description') ?? '').trim().slice(0, 200) || null,
            });
            return { secretHtml: await shown(request, { secret }) };
          },
          (refusal) => {
            const message = toldIn(request.context.words, refusal);
            return shown(request, { refused: { message, url } });
          },
        );
      },
      again,
    }),
    ...confirmedForm(deps, '/account/webhooks/secret', {
      ask: ({ context: { words } }) => ({
        ...words.questions.rotateSecret,
        named: words.webhooks.accountSecret,
        button: words.webhooks.makeSecret,
        back: '/account/webhooks',
      }),
      work: async (request) => {
        const { secret } = await deps.commands.rotateSigningSecret(request.call);
        return { secretHtml: await shown(request, { secret }) };
      },
      again,
    }),
    userPage(deps, { method: 'GET', path: '/account/webhooks/check' }, ({ context }) =>
      checkerPage(context, { typed: { body: '', header: '' }, verdict: null, minutes: 0 }),
    ),
    userPage(deps, { method: 'POST', path: '/account/webhooks/check', isOnce: repeatable }, ({ context, form }) => {
      const typed = { body: form.get('body') ?? '', header: form.get('header') ?? '' };
      // A browser sends a line feed of a text field as two characters.
      const body = typed.body.replaceAll('\r\n', '\n');
      const nowS = Math.floor(deps.clock().getTime() / 1000);
      const checked = checkSignature({ ...typed, body, secret: form.get('secret') ?? '', nowS });
      return checkerPage(context, { typed, ...checked });
    }),
  ];
};

/** Which part of a signed delivery is wrong. */
export const checkSignature = ({
  body,
  header,
  secret,
  nowS,
}: {
  readonly body: string;
  readonly header: string;
  readonly secret: string;
  readonly nowS: number;
}): { readonly verdict: CheckVerdict; readonly minutes: number } => {
  const parts = header
    .trim()
    .split(',')
    .map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = parts.flatMap(([name, value]) => (name === 'v1' ? [value ?? ''] : []));
  if (!/^[0-9]{1,12}$/.test(time) || signatures.length === 0) {
    return { verdict: 'malformed', minutes: 0 };
  }
  const fits = (text: string): boolean => {
    const wanted = createHmac('sha256', secret.trim()).update(`${time}.${text}`).digest();
    return signatures.some((one) => {
      const given = Buffer.from(one, 'hex');
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    });
  };
  const minutes = Math.floor(Math.abs(nowS - Number(time)) / 60);
  if (fits(body)) return { verdict: minutes > 5 ? 'old' : 'good', minutes };
  return { verdict: fits(body.trim()) ? 'trimmed' : 'noMatch', minutes };
};

const oneWebhook = (deps: WebsiteDeps): Route[] => {
  const base = '/account/webhooks/:webhookId';
  const shown = async (
    { context, params, query, user: { accountId } }: UserRequest,
    more: Partial<Pick<WebhookView, 'secret' | 'notice' | 'isMadeBefore'>>,
  ): Promise<string> => {
    const webhookId = params['webhookId'] ?? '';
    const limit = 25;
    const [webhook, deliveries] = await Promise.all([
      deps.queries.webhook(accountId, webhookId),
      deps.queries.webhookDeliveries(accountId, webhookId, {
        limit,
        before: beforeIn(query),
      }),
    ]);
    return webhookPage(context, {
      webhook,
      deliveries,
      nextBefore: deliveries.length === limit ? (deliveries.at(-1)?.position ?? null) : null,
      ...{ secret: null, notice: null, isMadeBefore: false },
      ...more,
    });
  };
  const idOf = ({ params }: UserRequest) => ({ webhookId: params['webhookId'] ?? '' });
  const back = ({ params }: UserRequest) => redirect(`/account/webhooks/${params['webhookId']}`);
  const about = async ({ params, user }: UserRequest) => {
    const { webhookId, url } = await deps.queries.webhook(user.accountId, params['webhookId'] ?? '');
    return { named: url, back: `/account/webhooks/${webhookId}` };
  };
  const change = (name: string, work: (request: UserRequest) => Promise<unknown>) =>
    userPage(deps, { method: 'POST', path: `${base}/${name}` }, async (request) => {
      await work(request);
      return back(request);
    });
  return [
    userPage(deps, { method: 'GET', path: base }, (request) => shown(request, {})),
    userPage(deps, { method: 'POST', path: `${base}/test` }, async (request) => {
      await deps.commands.testWebhook(request.call, idOf(request));
      return shown(request, { notice: request.context.words.webhooks.tested });
    }),
    ...confirmedForm(deps, `${base}/rotate`, {
      ask: async (request) => ({
        ...(await about(request)),
        ...request.context.words.questions.rotateSecret,
        button: request.context.words.webhooks.rotate,
      }),
      work: async (request) => {
        const { secret } = await deps.commands.rotateWebhookSecret(request.call, idOf(request));
        return { secretHtml: await shown(request, { secret }) };
      },
      again: (request) => shown(request, { isMadeBefore: true }),
    }),
    change('enable', (request) =>
      deps.commands.editWebhook(request.call, { ...idOf(request), changes: { isActive: true } }),
    ),
    change('disable', (request) =>
      deps.commands.editWebhook(request.call, { ...idOf(request), changes: { isActive: false } }),
    ),
    ...confirmedForm(deps, `${base}/remove`, {
      ask: async (request) => ({
        ...(await about(request)),
        ...request.context.words.questions.removeWebhook,
        button: request.context.words.webhooks.remove,
      }),
      work: async (request) => {
        await deps.commands.removeWebhook(request.call, idOf(request));
        return redirect('/account/webhooks');
      },
    }),
    change('deliveries/:deliveryId/replay', (request) =>
      deps.commands.replayDelivery(request.call, {
        ...idOf(request),
        deliveryId: request.params['deliveryId'] ?? '',
      }),
    ),
  ];
};

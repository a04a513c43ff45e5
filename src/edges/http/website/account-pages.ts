import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookKind } from '../../../commands.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import { shownName } from '../../../kernel/shown-name.ts';
import { personalDataFile } from '../account/account.ts';
import { keyIdOf, ledgerFilters } from '../account/usage.ts';
import type { Route } from '../endpoint.ts';
import { countedAddress } from '../middleware/client-address.ts';
import { noSessionCookie, sessionToken } from '../middleware/session.ts';
import { toldIn } from './messages/refusal-text.ts';
import {
  beforeIn,
  html,
  type PageResult,
  redirect,
  type UserRequest,
  userPage,
  type WebsiteDeps,
} from './page.ts';
import { overviewPage, plansPage, securityPage } from './pages/account.tsx';
import { keysPage } from './pages/keys.tsx';
import { type LedgerFilter, ledgerPage, receiptPage } from './pages/ledger.tsx';
import { usagePage } from './pages/usage.tsx';
import {
  type CheckVerdict,
  checkerPage,
  webhookKinds,
  webhookPage,
  webhooksPage,
} from './pages/webhooks.tsx';

/** Everything that the account API can do, as pages of whoever is signed in. */
export const accountPages = (deps: WebsiteDeps): Route[] => [
  ...overview(deps),
  ...keys(deps),
  ...books(deps),
  ...webhooks(deps),
  ...oneWebhook(deps),
  ...security(deps),
];

const own = ({ user, requestInfo, call }: UserRequest) => ({
  accountId: user.accountId,
  network: countedAddress(requestInfo.address),
  cause: call,
});

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
  userPage(
    deps,
    { method: 'GET', path: '/account/plans' },
    async ({ context, user: { accountId } }) => {
      const { plan, credits } = await deps.queries.accountOverview(accountId);
      return plansPage(context, { ...deps.queries.plans(), current: plan.key, credits });
    },
  ),
];

const shownKeys = async (
  deps: WebsiteDeps,
  { context, user }: UserRequest,
  {
    made = null,
    wrong = null,
  }: { made?: { fullKey: string; name: string } | null; wrong?: string | null },
): Promise<string> =>
  keysPage(context, {
    keys: await deps.queries.keys(user.accountId),
    made,
    wrong,
    now: deps.clock().toISOString(),
  });

const keys = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account/keys' }, (request) =>
    shownKeys(deps, request, {}),
  ),
  userPage(deps, { method: 'POST', path: '/account/keys' }, (request) =>
    orRefused(
      async () => {
        const { form, call, context } = request;
        const name = (form.get('name') ?? '').trim() || context.words.keys.defaultName;
        const cap = (form.get('cap') ?? '').trim();
        if (name.length > 100 || !shownName.test(name)) {
          throw invalidRequest('The name of a key has 1 to 100 characters.', {
            path: 'name',
            code: 'malformed',
          });
        }
        if (cap !== '' && !/^[1-9][0-9]{0,8}$/.test(cap)) {
          throw invalidRequest('The cap is a whole number of credits.', {
            path: 'cap',
            code: 'malformed',
          });
        }
        const made = await deps.commands.createKey(call, {
          name,
          scopes: [],
          capCredits: cap === '' ? null : Number(cap),
          expiresAt: null,
        });
        return shownKeys(deps, request, { made: { fullKey: made.fullKey, name } });
      },
      (refusal) => shownKeys(deps, request, { wrong: toldIn(request.context.words, refusal) }),
    ),
  ),
  userPage(deps, { method: 'POST', path: '/account/keys/:id/roll' }, async (request) => {
    const { call, params } = request;
    const wanted = { keyId: params['id'] ?? '', overlapMs: 24 * 3_600_000 };
    const { fullKey, key } = await deps.commands.rollKey(call, wanted);
    return shownKeys(deps, request, { made: { fullKey, name: key.name } });
  }),
  userPage(deps, { method: 'POST', path: '/account/keys/:id/revoke' }, async ({ call, params }) => {
    await deps.commands.revokeKey(call, { keyId: params['id'] ?? '' });
    return redirect('/account/keys');
  }),
];

/** A refusal is shown in the form that it is about. */
const orRefused = async (
  work: () => Promise<PageResult>,
  shown: (refusal: Refusal) => Promise<string> | string,
) => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return html(await shown(error), 400);
  }
};

const pageSize = 50;

const books = (deps: WebsiteDeps): Route[] => [
  userPage(
    deps,
    { method: 'GET', path: '/account/usage' },
    async ({ context, query, user: { accountId } }) => {
      const wanted = Number(query.get('days') ?? 30);
      const days = Number.isInteger(wanted) && wanted >= 1 && wanted <= 366 ? wanted : 30;
      const [usage, known] = await Promise.all([
        deps.queries.accountUsage(accountId, days),
        deps.queries.keys(accountId),
      ]);
      return usagePage(context, { usage, days, keys: known });
    },
  ),
  userPage(deps, { method: 'GET', path: '/account/ledger' }, (request) =>
    ledger(deps, request, {}),
  ),
  userPage(deps, { method: 'GET', path: '/account/requests/:id' }, (request) =>
    ledger(deps, request, { request_id: request.params['id'] ?? '' }),
  ),
  userPage(
    deps,
    { method: 'GET', path: '/account/ledger/:id' },
    async ({ context, params, user: { accountId } }) => {
      const entry = await deps.queries.ledgerEntry(accountId, params['id'] ?? '');
      if (entry === null) throw new Refusal('NOT_FOUND', 'This account has no such ledger entry.');
      return receiptPage(context, entry);
    },
  ),
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
    more: { secret?: string | null; refused?: { message: string; url: string } | null },
  ) =>
    webhooksPage(context, {
      webhooks: await deps.queries.webhooks(user.accountId),
      secret: more.secret ?? null,
      refused: more.refused ?? null,
    });
  return [
    userPage(deps, { method: 'GET', path: '/account/webhooks' }, (request) => shown(request, {})),
    userPage(deps, { method: 'POST', path: '/account/webhooks' }, (request) => {
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
          return shown(request, { secret });
        },
        (refusal) => {
          const message = toldIn(request.context.words, refusal);
          return shown(request, { refused: { message, url } });
        },
      );
    }),
    userPage(deps, { method: 'POST', path: '/account/webhooks/secret' }, async (request) => {
      const { secret } = await deps.commands.rotateSigningSecret(request.call);
      return shown(request, { secret });
    }),
    userPage(deps, { method: 'GET', path: '/account/webhooks/check' }, ({ context }) =>
      checkerPage(context, { typed: { body: '', header: '' }, verdict: null, minutes: 0 }),
    ),
    userPage(deps, { method: 'POST', path: '/account/webhooks/check' }, ({ context, form }) => {
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
    more: { secret?: string; notice?: string },
  ): Promise<string> => {
    const webhookId = params['webhookId'] ?? '';
    const limit = 25;
    const [all, deliveries] = await Promise.all([
      deps.queries.webhooks(accountId),
      deps.queries.webhookDeliveries(accountId, webhookId, {
        limit,
        before: beforeIn(query),
      }),
    ]);
    const webhook = all.find((one) => one.webhookId === webhookId);
    if (webhook === undefined || deliveries === null) {
      throw new Refusal('WEBHOOK_NOT_FOUND', 'This account has no webhook with this id.');
    }
    return webhookPage(context, {
      webhook,
      deliveries,
      nextBefore: deliveries.length === limit ? (deliveries.at(-1)?.position ?? null) : null,
      secret: more.secret ?? null,
      notice: more.notice ?? null,
    });
  };
  const idOf = ({ params }: UserRequest) => ({ webhookId: params['webhookId'] ?? '' });
  const back = ({ params }: UserRequest) => redirect(`/account/webhooks/${params['webhookId']}`);
  const change = (name: string, work: (request: UserRequest) => Promise<unknown>) =>
    userPage(deps, { method: 'POST', path: `${base}/${name}` }, async (request) => {
      await work(request);
      return name === 'remove' ? redirect('/account/webhooks') : back(request);
    });
  return [
    userPage(deps, { method: 'GET', path: base }, (request) => shown(request, {})),
    userPage(deps, { method: 'POST', path: `${base}/test` }, async (request) => {
      await deps.commands.testWebhook(request.call, idOf(request));
      return shown(request, { notice: request.context.words.webhooks.tested });
    }),
    userPage(deps, { method: 'POST', path: `${base}/rotate` }, async (request) => {
      const { secret } = await deps.commands.rotateWebhookSecret(request.call, idOf(request));
      return shown(request, { secret });
    }),
    change('enable', (request) =>
      deps.commands.editWebhook(request.call, { ...idOf(request), changes: { isActive: true } }),
    ),
    change('disable', (request) =>
      deps.commands.editWebhook(request.call, { ...idOf(request), changes: { isActive: false } }),
    ),
    change('remove', (request) => deps.commands.removeWebhook(request.call, idOf(request))),
    change('deliveries/:deliveryId/replay', (request) =>
      deps.commands.replayDelivery(request.call, {
        ...idOf(request),
        deliveryId: request.params['deliveryId'] ?? '',
      }),
    ),
  ];
};

/** Only the password was typed here: nothing else can be wrong with the credentials. */
const wrongIn = ({ context: { words } }: UserRequest, refusal: Refusal): string =>
  refusal.code === 'INVALID_CREDENTIALS'
    ? words.refusals.fields.passwordWrong
    : toldIn(words, refusal);

const security = (deps: WebsiteDeps): Route[] => {
  const shown = async (request: UserRequest, wrong: string | null): Promise<string> => {
    const { context, query, user, requestInfo } = request;
    const token = sessionToken(requestInfo);
    const [sessions, current, { events, nextBefore }] = await Promise.all([
      deps.commands.openSessions(user.accountId),
      token === null ? null : deps.commands.authenticate(token),
      deps.queries.accountEvents(user.accountId, { limit: pageSize, before: beforeIn(query) }),
    ]);
    const requestIds = events.flatMap(({ requestId }) => requestId ?? []);
    const origins = await deps.commands.originsOf(user.accountId, requestIds);
    const byRequest = new Map(origins.map((origin) => [origin.requestId, origin.ip]));
    return securityPage(context, {
      sessions: sessions.map((one) => ({
        id: one.sessionId,
        isCurrent: one.sessionId === current?.session.sessionId,
        seenAt: one.renewedAt.toISOString(),
        ip: one.ip,
        userAgent: one.userAgent,
      })),
      history: events.map((event) => ({
        ...event,
        ip: event.channel === 'web' ? (byRequest.get(event.requestId ?? '') ?? null) : null,
      })),
      nextBefore,
      wrong,
    });
  };
  /** A form after which nobody is signed in: the page to sign in on says what was done. */
  const signingOutForm = (
    name: string,
    told: string,
    work: (request: UserRequest, by: ReturnType<typeof own>) => Promise<unknown>,
  ) =>
    userPage(deps, { method: 'POST', path: `/account/security/${name}` }, (request) =>
      orRefused(
        async () => {
          await work(request, own(request));
          const cookie = noSessionCookie(deps, request.requestInfo);
          return redirect(`/login?told=${told}`, { 'Set-Cookie': cookie });
        },
        (refusal) => shown(request, wrongIn(request, refusal)),
      ),
    );
  return [
    userPage(deps, { method: 'GET', path: '/account/security' }, (request) => shown(request, null)),
    userPage(deps, { method: 'POST', path: '/account/security/sessions' }, async (request) => {
      const { accountId } = request.user;
      const sessionId = request.form.get('id') ?? '';
      await deps.commands.revokeSession({ accountId, sessionId, cause: request.call });
      return redirect('/account/security');
    }),
    signingOutForm('password', 'password', ({ form }, by) => {
      const [current, next] = [form.get('current') ?? '', form.get('next') ?? ''];
      return deps.commands.replacePassword({ ...by, current, next });
    }),
    signingOutForm('erase', 'erased', ({ form }, by) =>
      deps.commands.eraseAccount({ ...by, password: form.get('password') ?? '' }),
    ),
    userPage(deps, { method: 'POST', path: '/account/security/export' }, ({ call, requestInfo }) =>
      personalDataFile(deps, call, countedAddress(requestInfo.address)),
    ),
  ];
};

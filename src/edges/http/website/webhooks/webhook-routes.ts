import { recover, register, secretOverlapHours } from '../../../../contract/webhooks.ts';
import type { Route } from '../../middleware/route.ts';
import { beforeIn, type PageResult, redirect, type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { bodyOf } from '../parts/form-body.ts';
import { confirmedForm } from '../parts/question.tsx';
import { stateIn } from '../parts/state-filter.tsx';
import { fill, hours, plural, type Words } from '../words.ts';
import { deliverySort, type WebhookView, webhookPage } from './webhook-page.tsx';
import { type WebhooksView, webhooksPage } from './webhooks-page.tsx';

/** The webhooks of an account, and one with its deliveries. */
export const webhookRoutes = (deps: WebsiteDeps): Route[] => [
  ...webhooks(deps),
  ...webhookForms(deps),
  ...oneWebhook(deps),
];

const questionIn = ({ questions, language }: Words, name: 'rotateSecret' | 'removeWebhook') => {
  const { title, text } = questions[name];
  return { title, text: fill(text, { overlap: hours(language, secretOverlapHours) }) };
};

/** What was filled in; an empty description is none. */
const fieldsOf = ({ form }: UserRequest) => ({
  url: (form.get('url') ?? '').trim(),
  description: (form.get('description') ?? '').trim() || null,
  events: form.getAll('events'),
});

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
  const refused = (request: UserRequest, message: string) =>
    shown(request, { refused: { message, url: fieldsOf(request).url } });
  return [
    userPage(deps, { method: 'GET', path: '/account/webhooks' }, (request) => shown(request, {})),
    userPage(deps, { method: 'POST', path: '/account/webhooks', again, refused }, async (request) => {
      const { events, ...fields } = fieldsOf(request);
      const { url, events: kinds, description } = bodyOf(register, { ...fields, ...(events.length > 0 && { events }) });
      const { secret } = await deps.commands.registerWebhook(request.call, { url, kinds, description });
      return { secretHtml: await shown(request, { secret }) };
    }),
    ...confirmedForm(deps, '/account/webhooks/secret', {
      ask: ({ context: { words } }) => ({
        ...questionIn(words, 'rotateSecret'),
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
  ];
};

const base = '/account/webhooks/:webhookId';

const idOf = ({ params }: UserRequest) => ({ webhookId: params['webhookId'] ?? '' });
const back = (request: UserRequest) => redirect(`/account/webhooks/${idOf(request).webhookId}`);

const shownWebhook = async (
  deps: WebsiteDeps,
  request: UserRequest,
  more: Partial<Pick<WebhookView, 'secret' | 'notice' | 'refused' | 'isMadeBefore'>>,
): Promise<string> => {
  const { context, query, user } = request;
  const { webhookId } = idOf(request);
  const limit = 25;
  const status = stateIn(query, context.words.webhooks.status);
  const address = `/account/webhooks/${webhookId}?${query}`;
  const [webhook, deliveries] = await Promise.all([
    deps.queries.webhook(user.accountId, webhookId),
    deps.queries.webhookDeliveries(user.accountId, webhookId, {
      limit,
      before: beforeIn(query),
      status,
      order: deliverySort(address).order,
    }),
  ]);
  return webhookPage(context, {
    webhook,
    address,
    deliveries,
    status,
    ...{ secret: null, notice: null, refused: null, isMadeBefore: false },
    ...more,
  });
};

/** Forms of a webhook that may be filled in wrongly. */
const webhookForms = (deps: WebsiteDeps): Route[] => {
  const form = (name: string, work: (request: UserRequest) => Promise<PageResult>) =>
    userPage(
      deps,
      {
        ...{ method: 'POST', path: `${base}/${name}` },
        refused: (request, refused) => shownWebhook(deps, request, { refused }),
      },
      work,
    );
  return [
    form('edit', async (request) => {
      const { url, events: kinds, description } = bodyOf(register, fieldsOf(request));
      await deps.commands.editWebhook(request.call, { ...idOf(request), changes: { url, kinds, description } });
      return back(request);
    }),
    form('recover', async (request) => {
      const { webhooks: words, language } = request.context.words;
      const { since } = bodyOf(recover, { since: `${request.form.get('since') ?? ''}T00:00:00Z` });
      const { deliveryIds } = await deps.commands.recoverDeliveries(request.call, { ...idOf(request), since });
      return shownWebhook(deps, request, { notice: plural(language, words.recovered, deliveryIds.length) });
    }),
  ];
};

const oneWebhook = (deps: WebsiteDeps): Route[] => {
  const asked =
    (question: 'rotateSecret' | 'removeWebhook', button: 'rotate' | 'remove') => async (request: UserRequest) => {
      const { webhookId, url } = await deps.queries.webhook(request.user.accountId, idOf(request).webhookId);
      const { words } = request.context;
      const about = { named: url, back: `/account/webhooks/${webhookId}`, button: words.webhooks[button] };
      return { ...about, ...questionIn(words, question) };
    };
  const change = (name: string, work: (request: UserRequest) => Promise<unknown>) =>
    userPage(deps, { method: 'POST', path: `${base}/${name}` }, async (request) => {
      await work(request);
      return back(request);
    });
  return [
    userPage(deps, { method: 'GET', path: base }, (request) => shownWebhook(deps, request, {})),
    userPage(deps, { method: 'POST', path: `${base}/test` }, async (request) => {
      await deps.commands.testWebhook(request.call, idOf(request));
      return shownWebhook(deps, request, { notice: request.context.words.webhooks.tested });
    }),
    ...confirmedForm(deps, `${base}/rotate`, {
      ask: asked('rotateSecret', 'rotate'),
      work: async (request) => {
        const { secret } = await deps.commands.rotateWebhookSecret(request.call, idOf(request));
        return { secretHtml: await shownWebhook(deps, request, { secret }) };
      },
      again: (request) => shownWebhook(deps, request, { isMadeBefore: true }),
    }),
    change('enable', (request) =>
      deps.commands.editWebhook(request.call, { ...idOf(request), changes: { isActive: true } }),
    ),
    change('disable', (request) =>
      deps.commands.editWebhook(request.call, { ...idOf(request), changes: { isActive: false } }),
    ),
    ...confirmedForm(deps, `${base}/remove`, {
      ask: asked('removeWebhook', 'remove'),
      work: async (request) => {
        await deps.commands.removeWebhook(request.call, idOf(request));
        return redirect('/account/webhooks');
      },
    }),
    change('deliveries/:deliveryId/replay', (request) =>
      deps.commands.replayDelivery(request.call, { ...idOf(request), deliveryId: request.params['deliveryId'] ?? '' }),
    ),
  ];
};

import { type Command, Option } from 'commander';
import type { z } from 'zod';
import * as endpoints from '../../contract/webhooks.ts';
import { addDeliveries, showRequested } from './delivery-verbs.ts';
import { requestTo } from './endpoint-request.ts';
import { addListVerb, addServerVerb } from './server-verb.ts';
import { printFields } from './table.ts';
import { print, say, type Terminal } from './terminal.ts';

/** The webhooks of the account of the key. */
export const addWebhookVerbs = (webhooks: Command, terminal: Terminal): void => {
  addListVerb(webhooks, terminal, {
    endpoint: endpoints.list,
    name: 'list',
    columns: {
      id: 'id',
      active: ({ active, disabled_reason }) => (active ? 'yes' : `no: ${disabled_reason}`),
      events: ({ events }) => events.join(','),
      created: 'created_at',
      url: 'url',
    },
  });
  addServerVerb(webhooks, terminal, { endpoint: endpoints.read, name: 'get', show: showWebhook });
  addChanges(webhooks, terminal);
  addDeliveries(webhooks, terminal, { list: endpoints.listDeliveries, replay: endpoints.replay });
  addServerVerb(webhooks, terminal, { endpoint: endpoints.test, name: 'test', show: showRequested });
  addServerVerb(webhooks, terminal, { endpoint: endpoints.recover, name: 'recover', show: showRequested });
  const showSecret = (on: Terminal, { secret, previous_until }: z.output<typeof endpoints.currentSecretSchema>) =>
    printFields(on, { secret, previous_until });
  const rotating = { isSentOnce: true, show: showSecret };
  addServerVerb(webhooks, terminal, { ...rotating, endpoint: endpoints.rotate, name: 'rotate-secret' });
  addServerVerb(webhooks, terminal, {
    ...rotating,
    endpoint: endpoints.showSecret,
    name: 'signing-secret',
    options: [new Option('--rotate', 'create a new one')],
    request: ({ options: { rotate } }) => requestTo(rotate === true ? endpoints.rotateSigning : endpoints.showSecret),
  });
};

const showWebhook = (terminal: Terminal, webhook: z.output<typeof endpoints.webhookSchema>): Promise<void> =>
  printFields(terminal, {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events.join(','),
    active: webhook.active,
    disabled_reason: webhook.disabled_reason,
    description: webhook.description,
    created: webhook.created_at,
  });

const addChanges = (webhooks: Command, terminal: Terminal): void => {
  addServerVerb(webhooks, terminal, {
    isSentOnce: true,
    endpoint: endpoints.register,
    name: 'create',
    args: [['<receiver>', 'the URL that deliveries are sent to']],
    without: ['url'],
    members: ({ args: [url] }) => ({ url }),
    show: async (on, { webhook, secret }) => {
      await printFields(on, { id: webhook.id, secret });
      say(on, 'The secret is shown only once.');
    },
  });
  addServerVerb(webhooks, terminal, {
    endpoint: endpoints.edit,
    name: 'update',
    options: [
      new Option('--url <url>', 'the new URL of the webhook').conflicts('receiver'),
      new Option('--receiver <url>', 'the same').hideHelp(),
      new Option('--on', 'enable it').conflicts('off').implies({ active: true }),
      new Option('--off', 'disable it').implies({ active: false }),
    ],
    without: ['active'],
    members: ({ options: { url, receiver } }) => ({ url: url ?? receiver }),
    show: showWebhook,
  });
  addServerVerb(webhooks, terminal, {
    endpoint: endpoints.remove,
    name: 'delete',
    show: async (on, _, { args: [webhook] }) => print(on, `${webhook} is deleted`),
  });
};

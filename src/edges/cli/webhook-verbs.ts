import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { webhookKinds } from '../../contract/webhook-events.ts';
import { addDeliveries, Requested, showRequested } from './delivery-verbs.ts';
import { parseTime } from './option-parsers.ts';
import type { ServerRequest } from './server-client.ts';
import { addListVerb, addServerVerb, type Given } from './server-verb.ts';
import { printFields } from './table.ts';
import { print, say, type Terminal } from './terminal.ts';

const Webhook = z.looseObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean(),
  created_at: z.string(),
  description: z.string().nullable(),
  disabled_reason: z.string().nullable(),
});
type Webhook = z.output<typeof Webhook>;

const id = ['<id>', 'the webhook'] as const;

/** The webhooks of the account of the key. */
export const addWebhookVerbs = (webhooks: Command, terminal: Terminal): void => {
  addListVerb(webhooks, terminal, {
    name: 'list',
    about: 'the webhooks of the account of the key',
    limit: { default: null, page: Number.POSITIVE_INFINITY },
    request: () => ({ method: 'GET', path: '/v1/webhooks' }),
    answer: z.looseObject({ webhooks: z.array(Webhook) }),
    rows: (page) => page.webhooks,
    next: () => null,
    columns: [
      ['id', (webhook) => webhook.id],
      ['active', ({ active, disabled_reason }) => (active ? 'yes' : `no: ${disabled_reason}`)],
      ['events', ({ events }) => events.join(',')],
      ['created', ({ created_at }) => created_at],
      ['url', ({ url }) => url],
    ],
  });
  addServerVerb(webhooks, terminal, {
    name: 'get',
    about: 'one webhook',
    args: [id],
    request: (given) => requestOf(given, 'GET'),
    answer: Webhook,
    show: showWebhook,
  });
  addChanges(webhooks, terminal);
  addDeliveries(webhooks, terminal, { noun: 'webhook', path: '/v1/webhooks' });
  addSending(webhooks, terminal);
  addSecrets(webhooks, terminal);
};

const requestOf = ({ args: [webhook = ''] }: Given, method: ServerRequest['method'], rest = ''): ServerRequest => ({
  method,
  path: `/v1/webhooks/${encodeURIComponent(webhook)}${rest}`,
});

const showWebhook = (terminal: Terminal, webhook: Webhook): Promise<void> =>
  printFields(terminal, {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events.join(','),
    active: webhook.active,
    disabled_reason: webhook.disabled_reason,
    description: webhook.description,
    created: webhook.created_at,
  });

const events: readonly string[] = webhookKinds;

const parseEvents = (text: string): readonly string[] => {
  const wanted = text.split(',').map((event) => event.trim());
  if (wanted.every((event) => events.includes(event))) return wanted;
  throw new InvalidArgumentError(`They are some of ${events.join(',')}.`);
};

const shared = (): Option[] => [
  new Option('--events <list>', `of ${events.join(',')}`).argParser(parseEvents),
  new Option('--description <text>', 'for its owner'),
];

const addChanges = (webhooks: Command, terminal: Terminal): void => {
  addServerVerb(webhooks, terminal, {
    isSentOnce: true,
    name: 'create',
    about: 'register a webhook; its secret is shown once',
    args: [['<receiver>', 'the URL that is sent to']],
    options: shared(),
    request: ({ args: [url], options: { events: wanted, description } }) => ({
      method: 'POST',
      path: '/v1/webhooks',
      body: { url, events: wanted, description },
    }),
    answer: z.looseObject({ webhook: Webhook, secret: z.string() }),
    show: async (on, { webhook, secret }) => {
      await printFields(on, { id: webhook.id, secret });
      say(on, 'The secret is shown this once.');
    },
  });
  addServerVerb(webhooks, terminal, {
    name: 'update',
    about: 'change a webhook; what is not given stays',
    args: [id],
    options: [
      new Option('--receiver <url>', 'the URL that is sent to'),
      ...shared(),
      new Option('--on', 'send to it').conflicts('off'),
      new Option('--off', 'send nothing to it'),
    ],
    request: (given) => {
      const { receiver, events: wanted, description, on, off } = given.options;
      const active = on === true ? true : off === true ? false : undefined;
      return {
        ...requestOf(given, 'PATCH'),
        body: { url: receiver, events: wanted, description, active },
      };
    },
    answer: Webhook,
    show: showWebhook,
  });
  addServerVerb(webhooks, terminal, {
    name: 'delete',
    about: 'delete a webhook',
    args: [id],
    request: (given) => requestOf(given, 'DELETE'),
    answer: z.null(),
    show: async (on, _, { args: [webhook] }) => print(on, `${webhook} is deleted`),
  });
};

const addSending = (webhooks: Command, terminal: Terminal): void => {
  addServerVerb(webhooks, terminal, {
    name: 'test',
    about: 'send a job.completed with test: true',
    args: [id],
    request: (given) => requestOf(given, 'POST', '/test'),
    answer: Requested,
    show: showRequested,
  });
  addServerVerb(webhooks, terminal, {
    name: 'recover',
    about: 'send all failed deliveries since a time again, at most 1,000',
    args: [id],
    options: [new Option('--since <time>', 'such as 2027-01-31T00:00:00Z').argParser(parseTime).makeOptionMandatory()],
    request: (given) => ({
      ...requestOf(given, 'POST', '/recover'),
      body: { since: given.options['since'] },
    }),
    answer: Requested,
    show: showRequested,
  });
};

const addSecrets = (webhooks: Command, terminal: Terminal): void => {
  const Secret = z.looseObject({
    secret: z.string().nullable(),
    previous_until: z.string().nullable(),
  });
  const show = (on: Terminal, { secret, previous_until }: z.output<typeof Secret>) =>
    printFields(on, { secret, previous_until });
  addServerVerb(webhooks, terminal, {
    isSentOnce: true,
    name: 'rotate-secret',
    about: 'make a new secret; the one before signs beside it for 24 hours',
    args: [id],
    request: (given) => requestOf(given, 'POST', '/rotate-secret'),
    answer: Secret,
    show,
  });
  addServerVerb(webhooks, terminal, {
    isSentOnce: true,
    name: 'signing-secret',
    about: 'the secret that signs deliveries to the webhook URL of a job',
    options: [new Option('--rotate', 'make a new one')],
    request: ({ options: { rotate } }) => ({
      method: rotate === true ? 'POST' : 'GET',
      path: `/v1/webhooks/signing-secret${rotate === true ? '/rotate' : ''}`,
    }),
    answer: Secret,
    show,
  });
};

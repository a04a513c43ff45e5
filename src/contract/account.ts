import { z } from 'zod';
import { mostCredits } from './caps.ts';
import { type Endpoint, endpointsWith, type OpenEndpoint, ofUser } from './endpoint.ts';
import { keySchema, ledgerLinks } from './keys.ts';
import { entryParams, ledgerEntrySchema, ledgerPageSchema, ledgerQuery } from './ledger.ts';
import { grantSchema } from './oauth.ts';
import {
  answer200,
  count,
  lengths,
  listedId,
  member,
  named,
  pageOf,
  representable,
  rows,
  timestamp,
} from './schemas.ts';
import { readUsage, usageSummarySchema, usageSums } from './usage.ts';
import { webhookEndpoints } from './webhooks.ts';

export const userSchema = named('User', {
  id: member.id,
  email: z.string().describe('E-mail address.'),
  name: z.string().nullable().describe('Name.'),
  created_at: member.createdAt,
});

export const planSchema = named('Plan', {
  key: z.string().describe('Name of the plan, for programs.'),
  label: z.string().describe('Name for people.'),
  monthly_price_cents: z.int().describe('Price of a month in cents.'),
  price_label: z.string().describe('The price for people.'),
  credits: z.int().describe('Credits of one period.'),
  rate_limit_per_min: z.int().describe('Requests per minute.'),
  features: z.array(z.string()).describe('What the plan includes, in words.'),
});

export const creditsSchema = named('Credits', {
  included: z.int().describe('Credits of the plan in one period.'),
  remaining: z.int().describe('Credits that can be spent now.'),
  threshold: z.int().describe('At or below this many, credits count as low.'),
  low: z.boolean().describe('Few credits are left.'),
  exhausted: z.boolean().describe('No credits are left.'),
  unlimited: z.boolean().describe('Nothing is refused for lack of credits.'),
  upgrade_available: z.boolean().describe('Whether a larger plan is available.'),
  upgrade_nudge: z.string().nullable().describe('A sentence if credits are low; otherwise null.'),
});

const ofAccount = endpointsWith({ ...ofUser, tag: 'Account' });

export const getAccount = {
  ...ofAccount('getAccount', 'GET', '/api/account/me'),
  summary: 'The signed-in account',
  description: 'The user, the plan and the credits of the current period.',
  answers: answer200('The account.', 'Account', {
    user: userSchema,
    plan: planSchema,
    credits: creditsSchema,
    keys_active: z.int().describe('Active API keys.'),
    webhooks_active: z.int().describe('Active webhooks.'),
    mailbox_proof_pending: z.boolean().describe('The credits of the plan are granted once the mailbox is verified.'),
    created_at: member.createdAt,
  }),
} satisfies OpenEndpoint;

export const requestMailboxProof = {
  ...ofAccount('requestMailboxProof', 'POST', '/api/account/mailbox'),
  summary: 'Request another link to verify the mailbox',
  description: 'Nothing is sent once the mailbox is verified. 404 if this service sends no mail.',
  answers: {
    202: {
      description: 'A mail with a link is sent.',
      schema: named('MailboxProofRequested', { message: z.string().describe('What happens next, for people.') }),
    },
  },
  refusals: ['NOT_FOUND'],
} satisfies OpenEndpoint;

/** What an account chooses for all its requests. A further setting is a further member here, in the application and in its table. */
export const settingsShape = {
  keep_by_default: z.boolean().describe('Requests without `keep` keep the captions that they read in the library.'),
  ask_above_credits: z
    .int()
    .min(0)
    .max(mostCredits)
    .nullable()
    .describe('Tools of `/mcp` ask before a call that costs more; null: never.'),
} as const;

const settingsSchema = named('AccountSettings', settingsShape);

export const getSettings = {
  ...ofAccount('getAccountSettings', 'GET', '/api/account/settings'),
  summary: 'The settings of the account for all its requests',
  description: 'A request can override them.',
  answers: { 200: { description: 'The settings.', schema: settingsSchema } },
} satisfies OpenEndpoint;

export const changeSettings = {
  ...ofAccount('changeAccountSettings', 'PATCH', '/api/account/settings'),
  summary: 'Change the settings for all requests of the account',
  description: 'Omitted members do not change.',
  body: z
    .strictObject(settingsShape)
    .partial()
    .refine((given) => Object.keys(given).length > 0, { error: 'must have at least one setting' }),
  answers: { 200: { description: 'All settings.', schema: settingsSchema } },
} satisfies OpenEndpoint;

/** Characters of a password, counted as code points. */
export const passwordLength = { least: 8, most: 256 } as const;

export const newPassword = z
  .string()
  .meta({ format: 'password', minLength: passwordLength.least, maxLength: passwordLength.most });

export const replacePassword = {
  ...ofAccount('replacePassword', 'POST', '/api/account/password'),
  summary: 'Replace the password',
  description: 'Ends every session of the account, this one too.',
  body: z.strictObject({
    current_password: z.string().describe('The current password.'),
    new_password: newPassword.describe('The new password.'),
  }),
  answers: { 204: { description: 'The password was changed.' } },
  refusals: ['INVALID_CREDENTIALS'],
} satisfies OpenEndpoint;

export const eventSchema = named('AccountEvent', {
  id: member.id,
  type: member.type,
  occurred_at: timestamp.describe('When it happened, RFC 3339 in UTC.'),
  actor: z.object({ type: member.type, id: member.id }).nullable().describe('The actor; null: the service itself.'),
  channel: z.string().nullable().describe('The channel, such as `api` or `web`.'),
  request_id: z.string().nullable().describe('The request that it belongs to: `X-Request-ID` of its response.'),
  origin: z
    .object({ ip: member.ip, user_agent: member.userAgent })
    .nullable()
    .describe('Where the request came from, while it is stored.'),
  data: z.record(z.string(), z.unknown()).describe('Details.'),
});

/** An open session. */
export const sessionSchema = named('Session', {
  id: member.id,
  current: z.boolean().describe('The session of this request.'),
  created_at: member.createdAt,
  last_seen_at: timestamp.describe('To the day.'),
  expires_at: timestamp.describe('Without further use.'),
  ip: member.ip,
  user_agent: member.userAgent,
});

export const listEvents = {
  ...ofAccount('listAccountEvents', 'GET', '/api/account/events'),
  summary: 'The history of this account: what was done, by whom, from where',
  description: 'Sign-ins, keys, plans and other changes, with their actors.',
  query: z.object(pageOf('Events')),
  answers: answer200('The newest first.', 'AccountEvents', {
    events: z.array(eventSchema).describe('Events, the newest first.'),
    next_before: member.nextBefore,
  }),
} satisfies OpenEndpoint;

export const exportData = {
  ...ofAccount('exportPersonalData', 'POST', '/api/account/export'),
  summary: 'Export all personal data',
  description: 'All personal data stored about the owner, in one document.',
  answers: {
    200: {
      description: 'The copy; the ledger is under /api/account/ledger.',
      headers: { 'Content-Disposition': 'The copy is saved as a file.' },
      schema: named('PersonalData', {
        user: userSchema,
        sessions: z.array(sessionSchema).describe('Open sessions.'),
        origins: rows('Where the account was used from.', {
          request_id: z.string().describe('The request that it belongs to: `X-Request-ID` of its response.'),
          at: timestamp.describe('When, RFC 3339 in UTC.'),
          ip: member.ip,
          user_agent: member.userAgent,
        }),
        keys: z.array(keySchema).describe('API keys.'),
        grants: z.array(grantSchema).describe('Authorized applications.'),
        events: z.array(eventSchema).describe('Events, the newest first.'),
      }),
    },
  },
} satisfies OpenEndpoint;

export const eraseAccount = {
  ...ofAccount('eraseAccount', 'POST', '/api/account/erase'),
  summary: "Erase the account's personal data",
  description:
    'Name, address, password and sessions are deleted, keys and webhooks end. The ledger remains, under an id that identifies nobody. The address can be registered again a day later.',
  body: z.strictObject({ password: z.string().describe('The password.') }),
  answers: { 204: { description: 'The personal data were erased permanently.' } },
  refusals: ['INVALID_CREDENTIALS'],
} satisfies OpenEndpoint;

export const accountEndpoints = [
  getAccount,
  requestMailboxProof,
  replacePassword,
  listEvents,
  exportData,
  eraseAccount,
  getSettings,
  changeSettings,
] as const;

export const listSessions = {
  ...ofAccount('listSessions', 'GET', '/api/account/sessions'),
  summary: 'List the sessions of this account',
  description: 'The open sessions of the owner.',
  answers: answer200('The newest first.', 'Sessions', { sessions: z.array(sessionSchema).describe('Open sessions.') }),
} satisfies OpenEndpoint;

export const revokeSession = {
  ...ofAccount('revokeSession', 'DELETE', '/api/account/sessions/:id'),
  summary: 'End one session',
  description: 'Its browser must sign in again.',
  params: listedId,
  answers: { 204: { description: 'The session has ended.' } },
  refusals: ['NOT_FOUND'],
} satisfies OpenEndpoint;

export const sessionEndpoints = [listSessions, revokeSession] as const;

const aboutUsage = endpointsWith({ ...ofUser, tag: 'Usage' });

const links = ledgerLinks.describe('The ledger entries behind the figure.');

export const accountUsageSchema = usageSummarySchema
  .extend({
    plan: planSchema.nullable().describe('The plan of the account.'),
    credits_remaining: z.int().describe('Credits that can be spent now.'),
    credits_reserved: count.describe('Credits reserved for jobs.'),
    credits: creditsSchema,
    period_days: z.int().min(1).describe('Days that the figures cover, today included.'),
    period_start: timestamp.describe('When the billing period began.'),
    period_end: timestamp.describe('When the billing period ends.'),
    by_kind: rows('The figures by kind of operation.', { ...usageSummarySchema.shape.by_kind.element.shape, links }),
    daily: rows('One entry for each UTC day, oldest first, including days without requests.', {
      ...usageSummarySchema.shape.daily.element.shape,
      links,
    }),
    by_key: rows('The same figures by API key, most credits first.', {
      key_id: z
        .string()
        .nullable()
        .describe(
          'Null: without a key. Refunds are counted with the key that had paid, or here if the refund does not record it.',
        ),
      ...usageSums,
      links: links.nullable().describe('Addresses about it.'),
    }),
  })
  .meta({ id: 'AccountUsage' });

export const getUsage = {
  ...aboutUsage('getAccountUsage', 'GET', '/api/account/usage'),
  summary: 'The usage of this account, and what is left',
  description: 'Each figure links to the ledger entries behind it.',
  query: readUsage.query.pick({ days: true }),
  answers: { 200: { description: 'Every figure with its entries.', schema: accountUsageSchema } },
} satisfies OpenEndpoint;

export const listPlans = {
  ...ofAccount('listPlans', 'GET', '/api/account/plans'),
  access: 'anyone',
  cacheControl: 'public, max-age=60',
  summary: 'The plans',
  description: 'From the smallest to the largest.',
  answers: answer200('From the smallest to the largest.', 'Plans', {
    plans: z.array(planSchema).describe('The plans, from the smallest.'),
    billing_configured: z.boolean().describe('Whether plans can be bought here.'),
  }),
} satisfies OpenEndpoint;

const utcDay = z.iso
  .date({ abort: true })
  .refine(...representable)
  .optional();

/** The query of the ledger, with filters. */
export const ledgerFilters = ledgerQuery.extend({
  day: utcDay.describe('Only entries of this UTC day.'),
  kind: z
    .string()
    .regex(/^[a-z_]{1,32}$/, { error: 'must be a kind of usage' })
    .optional()
    .meta({ description: 'Only entries of this kind of operation.', ...lengths(1, 32) }),
  key_id: z
    .string()
    .regex(/^(key_[0-9a-f]{32}|none)$/, { error: 'must be the id of a key, or none' })
    .optional()
    .meta({ description: 'Only entries of this key; `none`: of operations without a key.', ...lengths(4, 36) }),
  used_since: utcDay.describe('Only entries that usage counts, from this UTC day on.'),
});

/** The page of a ledger that a query asks for; null: any. `keyId`: an empty text is no key. */
export const ledgerPageIn = (query: z.output<typeof ledgerFilters>) => ({
  limit: query.limit,
  before: query.before ?? null,
  requestId: query.request_id ?? null,
  day: query.day ?? null,
  kind: query.kind ?? null,
  keyId: query.key_id === 'none' ? '' : (query.key_id ?? null),
  costTag: query.cost_tag ?? null,
  usedSince: query.used_since ?? null,
  asOf: query.as_of ?? null,
});

export const listAccountLedger = {
  ...aboutUsage('listAccountLedger', 'GET', '/api/account/ledger'),
  summary: 'The ledger of this account, newest first',
  description: 'Every charge, refund, grant and free use, as under `/v1/ledger`.',
  query: ledgerFilters,
  answers: { 200: { description: 'One page.', schema: ledgerPageSchema } },
} satisfies OpenEndpoint;

export const readAccountEntry = {
  ...aboutUsage('getAccountLedgerEntry', 'GET', '/api/account/ledger/:id'),
  summary: 'One ledger entry with its proof',
  description: 'With the hashes that prove it.',
  params: entryParams,
  answers: { 200: { description: 'The entry.', schema: ledgerEntrySchema } },
  refusals: ['NOT_FOUND'],
} satisfies OpenEndpoint;

export const accountUsageEndpoints = [getUsage, listPlans, listAccountLedger, readAccountEntry] as const;

/** The operation of a key for a signed-in owner: another path, and strict about unknown fields. */
export const forOwner = ({ body, ...endpoint }: Endpoint): OpenEndpoint => ({
  ...endpoint,
  ...ofUser,
  id: `account${endpoint.id.charAt(0).toUpperCase()}${endpoint.id.slice(1)}`,
  path: endpoint.path.replace('/v1/', '/api/account/'),
  ...(body === undefined ? {} : { body: body instanceof z.ZodObject ? body.strict() : body }),
});

export const accountWebhookEndpoints: readonly OpenEndpoint[] = webhookEndpoints.map(forOwner);

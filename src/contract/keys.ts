import { z } from 'zod';
import { capCredits, capPeriods, usualWarnings, warnAt } from './caps.ts';
import { endpointsWith, type OpenEndpoint, ofUser } from './endpoint.ts';
import { keyScopes } from './key-scopes.ts';
import { answer200, instant, listedId, member, named, shownName, timestamp } from './schemas.ts';

/** The name of a key. */
const keyName = shownName.min(1);

const aboutPeriods =
  'Window of time in which the cap counts: day (UTC), week (from Monday, UTC) or period (the billing period).';

/** The cap of a key, as a body sets it. */
const capBody = {
  cap_credits: capCredits.nullish().describe('Maximum credits that the key may spend; null: no cap.'),
  cap_period: z.enum(capPeriods).optional().describe(aboutPeriods),
  warn_at: warnAt
    .optional()
    .describe(
      `Percentages of the cap at which its owner is warned; default for a new cap: ${new Intl.ListFormat('en-GB').format(usualWarnings.map(String))}.`,
    ),
};

/** Hours for which a key that is replaced stays valid, unless the request says otherwise. */
export const keyOverlapHours = 24;

/** Where the entries are that a figure counts. */
export const ledgerLinks = z.object({
  ledger: z.string().describe('Address of the ledger entries behind the figure.'),
});

/** The ApiKey of the specification, with its permissions. */
export const keySchema = named('ApiKey', {
  id: member.id,
  name: member.name,
  key_prefix: z.string().describe('The first characters of the key, to recognize it.'),
  created_at: member.createdAt,
  last_used_at: timestamp.nullable().describe('Accurate to about ten seconds.'),
  revoked_at: timestamp.nullable().describe('When the key was revoked; null: not revoked.'),
  expires_at: timestamp.nullable().describe('When the key expires; null: never.'),
  scopes: z.array(z.string()).describe('Empty: everything.'),
  cap_credits: z.int().nullable().describe('Credits that the key may spend in the window of its cap; null: no cap.'),
  cap_period: z.enum(capPeriods).nullable().describe(aboutPeriods),
  warn_at: z.array(z.int()).describe('Percentages of the cap at which its owner is warned.'),
  cap_used: z.int().nullable().describe('Credits spent and reserved in the current window of the cap; null: no cap.'),
  monthly_cap_credits: z
    .int()
    .nullable()
    .meta({
      description: 'An older name of `cap_credits`; null if the cap applies per day or week.',
      deprecated: true,
    }),
  credits_used: z.int().describe('By this key in the current billing period, including credits reserved by its jobs.'),
  rolled_to: z.string().nullable().describe('The key that replaced it.'),
  links: ledgerLinks.describe('Addresses about it.'),
});

const createdSchema = z.object({
  key: keySchema.extend({ fullKey: z.string().describe('Shown here and never again.') }).meta({ id: 'CreatedApiKey' }),
});

const common = { ...ofUser, tag: 'Keys' } as const;

const ofKeys = endpointsWith(common);

export const listKeys = {
  ...ofKeys('listKeys', 'GET', '/api/account/keys'),
  summary: 'The keys of this account',
  description: 'Including revoked and expired ones. Secrets are never shown again.',
  answers: answer200('The newest first.', 'ApiKeys', { keys: z.array(keySchema).describe('API keys.') }),
} satisfies OpenEndpoint;

export const createKey = {
  ...ofKeys('createKey', 'POST', '/api/account/keys'),
  isIdempotent: true,
  summary: 'Create a key',
  description:
    'At most 25 active keys per account, unless the operator has set another number. Only this response contains the full key.',
  body: z.strictObject({
    name: keyName.default('API key').describe('Name.'),
    scopes: z
      .array(z.enum(keyScopes))
      .max(keyScopes.length)
      .default([])
      .describe('What the key may do; empty or omitted: everything.'),
    expires_at: instant.nullish().describe('In the future; omitted: never.'),
    ...capBody,
    monthly_cap_credits: capCredits
      .nullish()
      .meta({ description: 'An older name of `cap_credits` with the billing period as its window.', deprecated: true }),
  }),
  isBodyOptional: true,
  answers: { 201: { description: 'The key.', schema: createdSchema } },
} satisfies OpenEndpoint;

const ofKey = endpointsWith({ ...common, params: listedId, refusals: ['KEY_NOT_FOUND'] });

export const rollKey = {
  ...ofKey('rollKey', 'POST', '/api/account/keys/:id/roll'),
  isIdempotent: true,
  summary: 'Create a key that replaces this one',
  description: 'With the same name, scopes and cap. The old key stays valid during the overlap.',
  body: z.strictObject({
    overlap_hours: z
      .number()
      .min(0)
      .max(720)
      .default(keyOverlapHours)
      .describe('Hours for which the old key stays valid.'),
  }),
  isBodyOptional: true,
  answers: { 201: { description: 'The new key.', schema: createdSchema } },
} satisfies OpenEndpoint;

export const changeKey = {
  ...ofKey('changeKey', 'PATCH', '/api/account/keys/:id'),
  summary: 'Change the cap of a key',
  description:
    'Omitted members do not change. The new cap applies within a second and includes earlier spending in its window.',
  body: z
    .strictObject(capBody)
    .refine((body) => Object.values(body).some((member) => member !== undefined), {
      error: 'must have at least one of cap_credits, cap_period and warn_at',
    }),
  answers: answer200('The key.', 'ChangedApiKey', { key: keySchema.describe('The key.') }),
} satisfies OpenEndpoint;

export const revokeKey = {
  ...ofKey('revokeKey', 'DELETE', '/api/account/keys/:id'),
  summary: 'Revoke a key',
  description: 'It is refused everywhere within a second. Repeating this changes nothing.',
  answers: { 204: { description: 'It is no longer valid.' } },
} satisfies OpenEndpoint;

export const keyEndpoints = [listKeys, createKey, changeKey, rollKey, revokeKey] as const;

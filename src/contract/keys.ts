import { z } from 'zod';
import { shownName } from '../kernel/shown-name.ts';
import { type OpenEndpoint, ofUser } from './endpoint.ts';
import { keyScopes } from './key-scopes.ts';
import { listedId, member, representable, timestamp } from './schemas.ts';

/** The name of a key. */
export const keyName = z.string().trim().min(1).max(100).regex(shownName, { error: 'takes no control characters' });

/** The most credits of a cap of a key, of a grant and of a refund. */
export const mostCredits = 1_000_000_000;

/** The cap of a key. */
export const capCredits = z.int().min(1).max(mostCredits);

/** The ApiKey of the specification, with its permissions. */
export const keySchema = z
  .object({
    id: member.id,
    name: member.name,
    key_prefix: z.string().describe('The first characters of the key, by which it is known again.'),
    created_at: member.createdAt,
    last_used_at: timestamp.nullable().meta({ description: 'To some ten seconds.' }),
    revoked_at: timestamp.nullable().describe('When the key was revoked; null: it was not.'),
    expires_at: timestamp.nullable().describe('When the key ends; null: never.'),
    scopes: z.array(z.string()).meta({ description: 'Empty: everything.' }),
    monthly_cap_credits: z.int().nullable().describe('Credits that the key may spend in a period; null: no cap.'),
    credits_used: z.int().meta({
      description: 'By this key in the present billing period, with what its jobs have set aside.',
    }),
    rolled_to: z.string().nullable().meta({ description: 'The key that took over.' }),
    links: z
      .object({ ledger: z.string().describe('Address of the ledger entries behind the figure.') })
      .describe('Addresses about it.'),
  })
  .meta({ id: 'ApiKey' });

export const createdSchema = z.object({
  key: keySchema
    .extend({ fullKey: z.string().meta({ description: 'Shown here and never again.' }) })
    .meta({ id: 'CreatedApiKey' }),
});

const common = { ...ofUser, tag: 'Keys' } as const;

export const listKeys = {
  ...common,
  id: 'listKeys',
  method: 'GET',
  path: '/api/account/keys',
  summary: 'The keys of this account',
  description: 'Those that are over too. A secret is never shown again.',
  answers: {
    200: {
      description: 'The newest first.',
      schema: z.object({ keys: z.array(keySchema).describe('API keys.') }).meta({ id: 'ApiKeys' }),
    },
  },
} satisfies OpenEndpoint;

export const createKey = {
  ...common,
  id: 'createKey',
  method: 'POST',
  path: '/api/account/keys',
  isIdempotent: true,
  summary: 'Make a key',
  description:
    'At most 25 active keys per account, unless the operator has set another number. The full key is in this answer only.',
  body: z.strictObject({
    name: keyName.default('API key').describe('Name.'),
    scopes: z
      .array(z.enum(keyScopes))
      .max(5)
      .default([])
      .meta({ description: 'What the key may do; empty or left out: everything.' }),
    expires_at: z.iso
      .datetime({ offset: true })
      .refine(...representable)
      .nullish()
      .meta({ description: 'In the future; left out: never.' }),
    monthly_cap_credits: capCredits.nullish().meta({
      description: 'The most credits that the key may spend in a billing period.',
    }),
  }),
  isBodyOptional: true,
  answers: { 201: { description: 'The key.', schema: createdSchema } },
} satisfies OpenEndpoint;

export const rollKey = {
  ...common,
  id: 'rollKey',
  method: 'POST',
  path: '/api/account/keys/:id/roll',
  isIdempotent: true,
  summary: 'Make a key that takes over from this one',
  description: 'With the same name, scopes and cap. The old key stays good for the overlap.',
  params: listedId,
  body: z.strictObject({
    overlap_hours: z.number().min(0).max(720).default(24).describe('Hours for which the old key stays good.'),
  }),
  isBodyOptional: true,
  answers: { 201: { description: 'The new key.', schema: createdSchema } },
  refusals: ['KEY_NOT_FOUND'],
} satisfies OpenEndpoint;

export const revokeKey = {
  ...common,
  id: 'revokeKey',
  method: 'DELETE',
  path: '/api/account/keys/:id',
  summary: 'Revoke a key',
  description: 'It is refused everywhere within a second. A second time changes nothing.',
  params: listedId,
  answers: { 204: { description: 'It is good no more.' } },
  refusals: ['KEY_NOT_FOUND'],
} satisfies OpenEndpoint;

export const keyEndpoints = [listKeys, createKey, rollKey, revokeKey] as const;

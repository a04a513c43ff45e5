import { z } from 'zod';
import type { Commands } from '../../../commands.ts';
import type { OpenEndpoint } from '../../../contract/endpoint.ts';
import { capCredits, keyName, keyScopes } from '../../../contract/keys.ts';
import { listedId, representable, timestamp } from '../../../contract/schemas.ts';
import type { KeyView, Queries } from '../../../queries.ts';
import { json, noContent } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { ofUser, type SessionDeps, userRoute } from '../middleware/session.ts';

/** The ApiKey of the specification, with its permissions. */
export const keySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    key_prefix: z.string(),
    created_at: timestamp,
    last_used_at: timestamp.nullable().meta({ description: 'To some ten seconds.' }),
    revoked_at: timestamp.nullable(),
    expires_at: timestamp.nullable(),
    scopes: z.array(z.string()).meta({ description: 'Empty: everything.' }),
    monthly_cap_credits: z.int().nullable(),
    credits_used: z.int().meta({
      description: 'By this key in the present billing period, with what its jobs have set aside.',
    }),
    rolled_to: z.string().nullable().meta({ description: 'The key that took over.' }),
    links: z.object({ ledger: z.string() }),
  })
  .meta({ id: 'ApiKey' });

const createdSchema = z.object({
  key: keySchema
    .extend({ fullKey: z.string().meta({ description: 'Shown here and never again.' }) })
    .meta({ id: 'CreatedApiKey' }),
});

/** A key as JSON of the API, without its secret. */
export const keyJson = (key: KeyView): z.input<typeof keySchema> => ({
  id: key.keyId,
  name: key.name,
  key_prefix: key.prefix,
  created_at: key.createdAt,
  last_used_at: key.lastUsedAt,
  revoked_at: key.revokedAt,
  expires_at: key.expiresAt,
  scopes: [...key.scopes],
  monthly_cap_credits: key.capCredits,
  credits_used: key.creditsUsed,
  rolled_to: key.rolledTo,
  links: { ledger: `/api/account/ledger?key_id=${key.keyId}` },
});

const common = { ...ofUser, tag: 'Keys' } as const;

const listKeys = {
  ...common,
  id: 'listKeys',
  method: 'GET',
  path: '/api/account/keys',
  summary: 'The keys of this account',
  description: 'Those that are over too. A secret is never shown again.',
  answers: {
    200: {
      description: 'The newest first.',
      schema: z.object({ keys: z.array(keySchema) }).meta({ id: 'ApiKeys' }),
    },
  },
} satisfies OpenEndpoint;

const createKey = {
  ...common,
  id: 'createKey',
  method: 'POST',
  path: '/api/account/keys',
  isIdempotent: true,
  summary: 'Make a key',
  description:
    'At most 25 active keys per account, unless the operator has set another number. The full key is in this answer only.',
  body: z.strictObject({
    name: keyName.default('API key'),
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

const rollKey = {
  ...common,
  id: 'rollKey',
  method: 'POST',
  path: '/api/account/keys/:id/roll',
  isIdempotent: true,
  summary: 'Make a key that takes over from this one',
  description: 'With the same name, scopes and cap. The old key stays good for the overlap.',
  params: listedId,
  body: z.strictObject({ overlap_hours: z.number().min(0).max(720).default(24) }),
  isBodyOptional: true,
  answers: { 201: { description: 'The new key.', schema: createdSchema } },
  refusals: ['KEY_NOT_FOUND'],
} satisfies OpenEndpoint;

const revokeKey = {
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

type Deps = SessionDeps & {
  readonly commands: Pick<Commands, 'createKey' | 'rollKey' | 'revokeKey'>;
  readonly queries: Pick<Queries, 'keys'>;
};

const hourMs = 3_600_000;

/** Keys of the signed-in account. */
export const accountKeys = (deps: Deps): Route[] => [
  userRoute(deps, listKeys, async ({ call }) => {
    const keys = await deps.queries.keys(call.accountId);
    return json({ keys: keys.map(keyJson) });
  }),

  userRoute(deps, createKey, async ({ call, body }) => {
    const { key, fullKey } = await deps.commands.createKey(call, {
      name: body.name,
      scopes: [...new Set(body.scopes)],
      capCredits: body.monthly_cap_credits ?? null,
      expiresAt: body.expires_at ?? null,
    });
    return json({ key: { ...keyJson(key), fullKey } }, { status: 201 });
  }),

  userRoute(deps, rollKey, async ({ call, params, body }) => {
    const { key, fullKey } = await deps.commands.rollKey(call, {
      keyId: params.id,
      overlapMs: Math.round(body.overlap_hours * hourMs),
    });
    return json({ key: { ...keyJson(key), fullKey } }, { status: 201 });
  }),

  userRoute(deps, revokeKey, async ({ call, params }) => {
    await deps.commands.revokeKey(call, { keyId: params.id });
    return noContent();
  }),
];

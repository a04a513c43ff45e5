import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import { invalidRequest } from '../kernel/refusal.ts';
import type { AuthorizationGranted } from './authorization.ts';

/** `expiresAt` is RFC 3339 in UTC with milliseconds. The number of authorizations is checked by `insertIn`. */
export type GrantAuthorization = Command<'GrantAuthorization', Omit<AuthorizationGranted['data'], 'at'>, { now: Date }>;

/** Refuses an expiry in the past (INVALID_REQUEST). Budgets are whole and above 0, scopes at least one. */
export const decide = ({ data, metadata }: GrantAuthorization): AuthorizationGranted => {
  const { accountId, authorizationId, clientId, scopes, creditsPerDay, creditsTotal, expiresAt, by } = data;
  const at = metadata.now.toISOString();
  assert(scopes.length > 0, 'no scope at all would mean every one');
  for (const budget of [creditsPerDay, creditsTotal]) {
    assert(Number.isSafeInteger(budget) && budget > 0, 'a budget is whole and above 0');
  }
  if (expiresAt <= at) {
    throw invalidRequest('An authorization must expire in the future.', { path: 'expires_at', code: 'past' });
  }
  return {
    type: 'AuthorizationGranted',
    data: { accountId, authorizationId, clientId, scopes, creditsPerDay, creditsTotal, expiresAt, by, at },
  };
};

import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { type EventOf, event } from '../eventlog/event-schema.ts';
import { Refusal } from '../kernel/refusal.ts';

/** One stream per authorization: two events. */
export const streamOf = (authorizationId: string): string => `authorization-${authorizationId}`;

/** Whether a text has the format of the id of an authorization. No other text is looked up. */
export const isAuthorizationId = (text: string): boolean => /^aut_[0-9a-f]{32}$/.test(text);

const authorizationId = z.string().describe('`aut_…`');

export const authorizationEvents = {
  AuthorizationGranted: event(
    'The owner authorized an application within a budget. Its tokens are stored as hashes, outside the log.',
    {
      accountId: field.accountId,
      authorizationId,
      clientId: z.string().describe('`wrd_…`: client id of the application'),
      scopes: z.array(z.string()).readonly().describe('what the application may do'),
      creditsPerDay: z.int().describe('maximum credits per UTC day'),
      creditsTotal: z.int().describe('maximum credits in total'),
      expiresAt: field.expiresAt,
      by: field.by,
      at: field.at,
    },
  ),
  AuthorizationEnded: event('The authorization ended; its tokens are deleted.', {
    accountId: field.accountId,
    authorizationId,
    why: z
      .enum(['owner', 'client', 'replay', 'account'])
      .describe(
        '`owner`: ended by the owner. `client`: revoked by the application. `replay`: a code or refresh token was used twice. `account`: the account was erased',
      ),
    by: field.by,
    at: field.at,
  }),
};

export type AuthorizationEvent = EventOf<typeof authorizationEvents>;
export type AuthorizationGranted = EventOf<typeof authorizationEvents, 'AuthorizationGranted'>;
export type AuthorizationEnded = EventOf<typeof authorizationEvents, 'AuthorizationEnded'>;

export type State =
  | { readonly status: 'none' }
  | { readonly status: 'active' | 'ended'; readonly accountId: string; readonly expiresAt: string };

export const initialState = (): State => ({ status: 'none' });

/** The authorization of this account. Throws NOT_FOUND, also for one of another account. */
export const requireOwn = (state: State, accountId: string): Exclude<State, { status: 'none' }> => {
  if (state.status !== 'none' && state.accountId === accountId) return state;
  throw new Refusal('NOT_FOUND', 'This account has no authorization with this id.');
};

export const evolve = (state: State, { type, data }: AuthorizationEvent): State => {
  switch (type) {
    case 'AuthorizationGranted':
      return { status: 'active', accountId: data.accountId, expiresAt: data.expiresAt };
    case 'AuthorizationEnded':
      return state.status === 'none' ? state : { ...state, status: 'ended' };
  }
};

import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { OAuthState } from '../../../commands.ts';
import type { Clock } from '../../../kernel/clock.ts';

type Deps = {
  readonly state: OAuthState;
  readonly clock: Clock;
  /** Ends the authorization of a code or refresh token that came twice. */
  readonly onReplay: (authorizationId: string) => Promise<void>;
};

/** A registered application that nobody has authorized is forgotten after this time. */
const unusedClientMs = 86_400_000;

/** What the library of the authorization server keeps, by its kind. */
export const stateAdapter =
  ({ state, clock, onReplay }: Deps) =>
  (kind: string): Adapter => {
    const payloadOf = async (found: ReturnType<OAuthState['find']>): Promise<AdapterPayload | undefined> => {
      const kept = await found;
      if (kept === undefined) return undefined;
      const consumed = kept.consumedAt === null ? {} : { consumed: Math.floor(kept.consumedAt.getTime() / 1000) };
      return { ...kept.payload, ...consumed };
    };
    const expiresAtOf = (expiresInS: number | undefined): Date | null => {
      const ttlMs = kind === 'Client' ? unusedClientMs : expiresInS === undefined ? null : expiresInS * 1000;
      return ttlMs === null ? null : new Date(clock().getTime() + ttlMs);
    };
    return {
      upsert: (id, payload, expiresIn) =>
        state.keep(
          { kind, id },
          {
            payload,
            uid: payload.uid ?? null,
            authorizationId: payload.grantId ?? null,
            accountId: payload.accountId ?? null,
            expiresAt: expiresAtOf(expiresIn),
          },
        ),
      find: (id) => payloadOf(state.find({ kind, id })),
      findByUid: (uid) => payloadOf(state.findByUid(kind, uid)),
      // Codes for devices are not served.
      findByUserCode: async () => undefined,
      consume: async (id) => {
        if (await state.consume({ kind, id })) return;
        // Another request was first: the library looked before that.
        const kept = await state.find({ kind, id });
        const authorizationId = kept?.payload['grantId'];
        if (typeof authorizationId === 'string') await onReplay(authorizationId);
        throw new errors.InvalidGrant('it was used already');
      },
      destroy: (id) => state.destroy({ kind, id }),
      revokeByGrantId: (authorizationId) => state.revoke(kind, authorizationId),
    };
  };

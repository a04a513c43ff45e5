import type { OAuthState } from '#src/commands.ts';

/** What an authorization server keeps, in memory, without expiry. */
export const memoryOAuthState = (): OAuthState => {
  const kept = new Map<string, { payload: Readonly<Record<string, unknown>>; consumedAt: Date | null }>();
  const nameOf = ({ kind, id }: { readonly kind: string; readonly id: string }) => `${kind} ${id}`;
  return {
    keep: async (record, { payload }) => void kept.set(nameOf(record), { payload, consumedAt: null }),
    find: async (record) => kept.get(nameOf(record)),
    findByUid: async () => undefined,
    consume: async (record) => {
      const found = kept.get(nameOf(record));
      if (found === undefined || found.consumedAt !== null) return false;
      found.consumedAt = new Date();
      return true;
    },
    destroy: async (record) => void kept.delete(nameOf(record)),
    revoke: async () => undefined,
    keepForGood: async () => undefined,
    sweep: async () => undefined,
  };
};

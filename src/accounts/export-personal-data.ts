import type { Command } from '@event-driven-io/emmett';
import type * as account from './account.ts';
import type { Profile, RequestOrigin, Session } from './account-store.ts';
import { changeAccount } from './append-account-change.ts';
import { assertOpen, countChange, type Own, type OwnDeps, ownerOf } from './signed-in-owner.ts';

export type ExportPersonalData = Command<'ExportPersonalData', { accountId: string }, { now: Date }>;

/** Throws UNAUTHENTICATED for an account that is erased. */
export const decide = (
  { data: { accountId }, metadata: { now } }: ExportPersonalData,
  state: account.State,
): account.PersonalDataExported => {
  assertOpen(state);
  return { type: 'PersonalDataExported', data: { accountId, at: now.toISOString() } };
};

/** All stored personal data. */
export type PersonalData = {
  readonly profile: Profile;
  readonly sessions: readonly Session[];
  readonly origins: readonly RequestOrigin[];
};

/** Returns a copy of the personal data and records `PersonalDataExported`. */
export const exportPersonalData =
  (deps: OwnDeps) =>
  async (own: Own): Promise<PersonalData> => {
    const { store, clock } = deps;
    const { accountId } = own;
    await countChange(deps, accountId, 'export_personal_data');
    await changeAccount(deps, own, {
      decide: (state, now) => decide({ type: 'ExportPersonalData', data: { accountId }, metadata: { now } }, state),
    });
    const { password: _, ...profile } = await ownerOf(deps, accountId);
    const sessions = await store.openSessions(accountId, clock());
    return { profile, sessions, origins: await store.originsOf(accountId, null) };
  };

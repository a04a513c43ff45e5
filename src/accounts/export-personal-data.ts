import type { Profile, RequestOrigin, Session } from './account-store.ts';
import { changeAccount } from './append-account-change.ts';
import type { AccountAction } from './append-events.ts';
import { countChange, decideWhileOpen, type OwnDeps, ownerOf } from './signed-in-owner.ts';

/** All stored personal data. */
export type PersonalData = {
  readonly profile: Profile;
  readonly sessions: readonly Session[];
  readonly origins: readonly RequestOrigin[];
};

/** Returns a copy of the personal data and records `PersonalDataExported`. */
export const exportPersonalData =
  (deps: OwnDeps) =>
  async (own: AccountAction): Promise<PersonalData> => {
    const { store, clock } = deps;
    const { accountId } = own;
    await countChange(deps, accountId, 'export_personal_data');
    await changeAccount(deps, own, { decide: decideWhileOpen('PersonalDataExported', accountId) });
    const { password: _, ...profile } = await ownerOf(deps, accountId);
    const sessions = await store.openSessions(accountId, clock());
    return { profile, sessions, origins: await store.originsOf(accountId, null) };
  };

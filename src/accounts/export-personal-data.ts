import type { Command } from '@event-driven-io/emmett';
import { newUuid } from '../kernel/ids.ts';
import * as account from './account.ts';
import type { Profile, RequestOrigin, Session } from './account-store.ts';
import { appendAll, retryOnConflict, toNewEvent } from './append-events.ts';
import {
  assertOpen,
  countChange,
  type Own,
  type OwnDeps,
  ownerOf,
  readAccount,
} from './own-account.ts';

export type ExportPersonalData = Command<
  'ExportPersonalData',
  { accountId: string },
  { now: Date }
>;

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
  async ({ accountId, cause }: Own): Promise<PersonalData> => {
    const { log, store, clock } = deps;
    await countChange(deps, accountId, 'export_personal_data');
    await retryOnConflict(async () => {
      const { state, version } = await readAccount(deps, accountId);
      const exported = decide(
        { type: 'ExportPersonalData', data: { accountId }, metadata: { now: clock() } },
        state,
      );
      const change = {
        stream: account.streamOf(accountId),
        expected: version,
        events: [toNewEvent(exported, newUuid(), cause)],
      };
      return appendAll(log, [change], async () => 'appended');
    });
    const { passwordHash: _, ...profile } = await ownerOf(deps, accountId);
    const sessions = await store.openSessions(accountId, clock());
    return { profile, sessions, origins: await store.originsOf(accountId, null) };
  };

import { elapsedMs } from '../../kernel/clock.ts';
import type { FailureReason } from '../failures.ts';
import type { Profile } from './client-profiles.ts';

/** What a client itself is to blame for; a block or a time-out hits whoever asks. */
const blamed: ReadonlySet<FailureReason> = new Set([
  'client_retired',
  'wrong_video',
  'token_required',
  'shape',
  'client_refused',
]);

const failuresToDemote = 3;
const demotedForMs = 10 * 60_000;

export type ProfileOrder = ReturnType<typeof profileOrder>;

/** `now`: milliseconds of a monotonic clock. The order is kept in this process. */
export const profileOrder = (profiles: readonly Profile[], now: () => number = elapsedMs) => {
  const records = new Map<string, { inARow: number; demotedUntil: number }>();
  const recordOf = ({ id }: Profile) => {
    const record = records.get(id) ?? { inARow: 0, demotedUntil: 0 };
    records.set(id, record);
    return record;
  };
  return {
    /** The clients in the order to ask them: those that fail again and again come last for ten minutes. */
    current(): readonly Profile[] {
      const at = now();
      const isDemoted = (profile: Profile) => recordOf(profile).demotedUntil > at;
      return [...profiles.filter((profile) => !isDemoted(profile)), ...profiles.filter(isDemoted)];
    },
    worked({ id }: Profile): void {
      records.delete(id);
    },
    /** Where another client did better. */
    failed(profile: Profile, reason: FailureReason): void {
      if (!blamed.has(reason)) return;
      const record = recordOf(profile);
      record.inARow += 1;
      if (record.inARow >= failuresToDemote) record.demotedUntil = now() + demotedForMs;
    },
  };
};

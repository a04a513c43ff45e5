import { elapsedMs } from '../../kernel/clock.ts';
import type { News } from '../read/read-events.ts';
import {
  ensureCheckpoints,
  lockCheckpoints,
  lookAtCheckpoints,
  moveCheckpoints,
} from '../subscriptions/checkpoints.ts';
import { type Place, placeAt, storePassingEveryMs } from '../subscriptions/subscription-runner.ts';
import { inTransaction, transactionOf } from '../transaction.ts';
import type { Group, Member } from './projection-runner.ts';

/** What one look of a group at the log came to. */
export type Outcome = 'full' | 'moved' | 'passed' | 'idle' | 'elsewhere';

/** One of the group could not handle what it was given; nothing of the batch was stored. */
export class MemberFailed extends Error {
  readonly member: Member;

  constructor(member: Member, cause: unknown) {
    super(`${member.line.name} failed`, { cause });
    this.member = member;
  }
}

type Located = { readonly member: Member; readonly place: Place };
type Part = Located & { readonly due: readonly News[]; readonly to: bigint };

/**
 * Reads what is new to any of the group and stores what all make of it, with their checkpoints, in one transaction.
 * `behind` are those that had better read by themselves. Throws `MemberFailed` when one could not.
 */
export const advance = async (
  group: Group,
  present: readonly Member[],
  limit: number,
): Promise<{ readonly outcome: Outcome; readonly behind: readonly Member[] }> => {
  const located = await locate(group, present);
  const furthest = located.reduce((max, { place }) => (place.seen > max ? place.seen : max), 0n);
  const isNear = ({ place }: Located): boolean => furthest - place.seen <= BigInt(limit);
  const behind = located.filter((one) => !isNear(one)).map(({ member }) => member);
  const near = located.filter(isNear);
  if (near.length === 0) return { outcome: 'idle', behind };

  const after = near.reduce((min, { place }) => (place.seen < min ? place.seen : min), furthest);
  const types = [...new Set(near.flatMap(({ member }) => member.line.types))];
  const { events, safeUpTo } = await group.log.readBatch({ after, limit, types });
  const parts = near.map(({ member, place }) => ({
    member,
    place,
    due: events.filter(({ type, position }) => position > place.seen && member.types.has(type)),
    to: safeUpTo > place.seen ? safeUpTo : place.seen,
  }));
  if (!parts.some(hasToStore)) return { outcome: passed(parts), behind };
  const held = await store(group, parts);
  const isFull = events.length >= limit;
  return { outcome: held === 0 ? 'elsewhere' : isFull ? 'full' : 'moved', behind };
};

const locate = async ({ pool }: Group, present: readonly Member[]): Promise<readonly Located[]> => {
  const lost = present.filter(({ place }) => place === null).map(({ line }) => line.name);
  const found = lost.length === 0 ? null : await ensureCheckpoints(pool, lost);
  return present.map((member) => {
    const place = member.place ?? placeAt(found?.get(member.line.name) ?? 0n);
    member.place = place;
    member.watch.moved(place.stored);
    return { member, place };
  });
};

/** Something to handle, or a checkpoint that others see standing still for too long. */
const hasToStore = ({ due, place, to }: Part): boolean =>
  due.length > 0 || (to > place.stored && elapsedMs() - place.storedAtMs >= storePassingEveryMs);

/** Remembers how far was looked without storing it. */
const passed = (parts: readonly Part[]): Outcome => {
  let outcome: Outcome = 'idle';
  for (const { member, place, to } of parts) {
    if (to <= place.seen) continue;
    member.place = { ...place, seen: to };
    member.watch.moved(to);
    outcome = 'passed';
  }
  return outcome;
};

/** The effects and the checkpoints of those whose checkpoint is where it was; how many these are. */
const store = async ({ pool }: Group, parts: readonly Part[]): Promise<number> => {
  const held = await inTransaction(pool, async (client) => {
    const locked = await lockCheckpoints(
      client,
      parts.map(({ member }) => member.line.name),
    );
    // Fencing: what was read belongs to another checkpoint than the one that is locked now.
    const mine = parts.filter(
      ({ member, place }) => locked.get(member.line.name)?.position === place.stored,
    );
    const transaction = transactionOf(client);
    for (const { member, due } of mine) {
      const parked = locked.get(member.line.name)?.parked;
      const handled = due.filter(({ stream }) => parked?.has(stream) !== true);
      try {
        await member.line.handle(transaction, handled);
      } catch (error) {
        throw new MemberFailed(member, error);
      }
    }
    if (mine.length > 0) {
      await moveCheckpoints(
        client,
        mine.map(({ member, to }) => [member.line.name, to]),
      );
    }
    return { commit: mine.length > 0, result: new Set(mine) };
  });
  for (const part of parts) {
    const { member, to } = part;
    // What another process has moved is looked up anew.
    member.place = held.has(part) ? placeAt(to) : null;
    if (held.has(part)) member.watch.moved(to);
  }
  return held.size;
};

export type Seen = { readonly head: bigint; readonly positions: ReadonlyMap<string, bigint> };

/**
 * Whether a checkpoint has not moved since the look before although something was due then. `isDone`: all are at the end
 * of the log.
 */
export const isLeft = async (
  { pool }: Group,
  present: readonly Member[],
  known: Seen | null,
): Promise<{ readonly isLeft: boolean; readonly isDone: boolean; readonly seen: Seen }> => {
  const seen = await lookAtCheckpoints(
    pool,
    present.map(({ line }) => line.name),
  );
  for (const member of present) {
    member.place = null;
    member.watch.moved(seen.positions.get(member.line.name) ?? 0n);
  }
  const stands = ({ line: { name } }: Member): boolean => {
    const before = known?.positions.get(name);
    return known !== null && before !== undefined && before < known.head
      ? seen.positions.get(name) === before
      : false;
  };
  const isDone = present.every(({ line }) => (seen.positions.get(line.name) ?? 0n) >= seen.head);
  return { isLeft: present.some(stands), isDone, seen };
};

import { type Clock, hourMs, minuteMs } from '../../../kernel/clock.ts';
import type { HourOfResponses, MinuteOfResponses, ServiceRecordStore, Work } from '../../../queries.ts';
import type { AnsweredRequest } from '../middleware/dependencies.ts';

/**
 * Bounds of the histogram: preferred numbers (R10), 0.1 ms to 80 s. Every objective is a bound, and the error is at
 * most 26 %.
 */
const boundsMs = [0.1, 1, 10, 100, 1_000, 10_000].flatMap((decade) =>
  [1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8].map((step) => Math.round(step * decade * 1_000) / 1_000),
);
const lastBoundMs = 80_000;

/** Minutes and hours that wait for the database; the oldest are dropped beyond. */
const mostWaiting = { minutes: 120, hours: 48 } as const;

type Slot = {
  readonly startedAt: Date;
  total: number;
  failed: number;
  /** As it was stored last; the same as `total` when nothing has been counted since. */
  stored: number;
};
type Minute = Slot & { readonly durations: Readonly<Record<Work, Map<number, number>>> };

const isNew = ({ total, stored }: Slot): boolean => total !== stored;

/** Slots of one length; beyond `most` that wait for the database, the oldest are dropped. */
const slotsOf = <S extends Slot>(lengthMs: number, most: number, create: (empty: Slot) => S) => {
  let slots: S[] = [];
  return {
    /** The newest slot, a new one when its time is over. A clock that was set back counts into the newest until it is there again. */
    current(nowMs: number): S {
      const startedMs = Math.floor(nowMs / lengthMs) * lengthMs;
      const newest = slots.at(-1);
      if (newest !== undefined && newest.startedAt.getTime() >= startedMs) return newest;
      const fresh = create({ startedAt: new Date(startedMs), ...{ total: 0, failed: 0, stored: 0 } });
      slots.push(fresh);
      if (slots.length > most) slots.shift();
      return fresh;
    },
    unstored: (): S[] => slots.filter(isNew),
    dropStored(nowMs: number): void {
      slots = slots.filter((slot) => isNew(slot) || slot.startedAt.getTime() + lengthMs > nowMs);
    },
  };
};

/**
 * Counts the responses of this process by minute and hour, and stores what was counted: a crash loses what was
 * counted since. Aborted requests count as neither good nor bad.
 */
export const responseMetrics = ({
  clock,
  serviceRecords,
}: {
  readonly clock: Clock;
  readonly serviceRecords: Pick<ServiceRecordStore, 'recordResponses'>;
}) => {
  const minutes = slotsOf(minuteMs, mostWaiting.minutes, (empty): Minute => {
    return { ...empty, durations: { cached: new Map(), uncached: new Map(), liveness: new Map() } };
  });
  const hours = slotsOf(hourMs, mostWaiting.hours, (empty) => empty);

  return {
    record(answered: AnsweredRequest): void {
      if (answered.isAborted) return;
      const nowMs = clock().getTime();
      const minute = minutes.current(nowMs);
      for (const slot of [minute, hours.current(nowMs)]) {
        slot.total += 1;
        if (answered.status >= 500) slot.failed += 1;
      }
      const work = workOf(answered);
      if (work === null) return;
      const counts = minute.durations[work];
      const bound = boundsMs.find((edge) => answered.ms <= edge) ?? lastBoundMs;
      counts.set(bound, (counts.get(bound) ?? 0) + 1);
    },

    /** Stores what was counted since the last time; what cannot be stored waits for the next. */
    async store(): Promise<void> {
      const [newMinutes, newHours] = [minutes.unstored(), hours.unstored()];
      if (newMinutes.length === 0) return;
      const counted = [...newMinutes, ...newHours].map((slot) => [slot, slot.total] as const);
      await serviceRecords.recordResponses({ minutes: newMinutes.map(minuteOf), hours: newHours.map(hourOf) });
      for (const [slot, total] of counted) slot.stored = total;
      const nowMs = clock().getTime();
      minutes.dropStored(nowMs);
      hours.dropStored(nowMs);
    },
  };
};

const hourOf = ({ startedAt, total, failed }: Slot): HourOfResponses => ({ ...{ startedAt, total, failed } });

const minuteOf = ({ durations, ...slot }: Minute): MinuteOfResponses => ({ ...hourOf(slot), durations });

/** The class of work of a response. Only successful reads have an objective: a refusal is fast in any state of the service. */
export const workOf = ({ route, method, status, isCacheHit }: AnsweredRequest): Work | null => {
  if (route === '/api/health') return 'liveness';
  if (status >= 400 || method !== 'GET') return null;
  if (isCacheHit === false) return 'uncached';
  return route?.startsWith('/v1/') === true ? 'cached' : null;
};

import { type Clock, elapsedMs } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { ExtractionHealth, Probe } from './captions/caption-track.ts';
import { isAboutUs } from './failures.ts';
import type { Platform } from './platform.ts';

export type Health = ReturnType<typeof healthOf>;

/** The health of extraction as this process sees it, since its start. */
export const healthOf = (mode: Platform['mode'], clock: Clock) => {
  let health: ExtractionHealth = {
    mode,
    lastProbe: null,
    consecutiveFailures: 0,
    failingSince: null,
    lastSuccessAt: null,
    lastExtractedAt: null,
    lastFailureAt: null,
    lastFailureCode: null,
  };
  return {
    /** Counts how work on the platform ended; what is about a video counts neither way. */
    async watch<Value>(work: Promise<Value>): Promise<Value> {
      try {
        const value = await work;
        const at = clock().toISOString();
        health = { ...health, consecutiveFailures: 0, failingSince: null, lastExtractedAt: at, lastSuccessAt: at };
        return value;
      } catch (error) {
        if (error instanceof Refusal && isAboutUs(error.code)) {
          const at = clock().toISOString();
          const { consecutiveFailures, failingSince } = health;
          const failed = { consecutiveFailures: consecutiveFailures + 1, failingSince: failingSince ?? at };
          health = { ...health, ...failed, lastFailureAt: at, lastFailureCode: error.code };
        }
        throw error;
      }
    },
    probed(probe: Probe): void {
      // Before the first extraction nothing else tells since when the platform answers us.
      const lastSuccessAt = health.lastSuccessAt ?? (probe.ok ? probe.checkedAt : null);
      health = { ...health, lastProbe: probe, lastSuccessAt };
    },
    read: (): ExtractionHealth => health,
  };
};

/** Runs `look` at most once at a time and shares what it found for `sharedMs`. */
export const sharedProbe = (look: () => Promise<Probe>, sharedMs: number): (() => Promise<Probe>) => {
  let running: Promise<Probe> | null = null;
  let endedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (running !== null && elapsedMs() - endedAt < sharedMs) return running;
    endedAt = Number.POSITIVE_INFINITY;
    running = look().finally(() => {
      endedAt = elapsedMs();
    });
    return running;
  };
};

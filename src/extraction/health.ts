import { type Clock, elapsedMs } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { ExtractionHealth, Probe } from './captions/caption-track.ts';
import { isAboutUs } from './failures.ts';
import type { Platform } from './platform.ts';

export type Health = {
  /** Counts how work on the platform ended; what is about a video counts neither way. */
  watch<Value>(work: Promise<Value>): Promise<Value>;
  probed(probe: Probe): void;
  read(): ExtractionHealth;
};

/** The health of extraction as this process sees it, since its start. */
export const healthOf = (mode: Platform['mode'], clock: Clock): Health => {
  let consecutiveFailures = 0;
  let failingSince: string | null = null;
  let lastProbe: Probe | null = null;
  let lastSuccessAt: string | null = null;
  let lastExtractedAt: string | null = null;
  let lastFailureAt: string | null = null;
  let lastFailureCode: string | null = null;
  return {
    async watch(work) {
      try {
        const value = await work;
        consecutiveFailures = 0;
        failingSince = null;
        lastExtractedAt = clock().toISOString();
        lastSuccessAt = lastExtractedAt;
        return value;
      } catch (error) {
        if (error instanceof Refusal && isAboutUs(error.code)) {
          consecutiveFailures += 1;
          lastFailureAt = clock().toISOString();
          failingSince ??= lastFailureAt;
          lastFailureCode = error.code;
        }
        throw error;
      }
    },
    probed(probe) {
      lastProbe = probe;
      // Before the first extraction nothing else tells since when the platform answers us.
      if (probe.ok) lastSuccessAt ??= probe.checkedAt;
    },
    read: () => ({
      mode,
      lastProbe,
      consecutiveFailures,
      failingSince,
      lastSuccessAt,
      lastExtractedAt,
      lastFailureAt,
      lastFailureCode,
    }),
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

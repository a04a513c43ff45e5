import { type Profile, playerProfiles } from './profiles.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Every number of the engine. Times in milliseconds. The service sets `deadlineMs` and `transcriptFreshMs` from its own
 * settings; who uses the engine alone gets the defaults below.
 */
export type EngineSettings = {
  /** From the first request of a reading to its answer, with all clients and tries. */
  readonly deadlineMs: number;
  readonly listDeadlineMs: number;
  readonly requestTimeoutMs: number;
  /** Rounds over the clients, as long as failures are of the passing kind. */
  readonly rounds: number;
  /** Middle of the pause between two rounds; the real one is half to one and a half of it. */
  readonly backoffMs: number;
  /** Age at which a kept transcript is read again. */
  readonly transcriptFreshMs: number;
  /** Age at which a kept list of tracks is asked for again. */
  readonly tracksFreshMs: number;
  /** How long an extraction is given again from this process alone. */
  readonly hotFreshMs: number;
  readonly hotEntries: number;
  readonly hotCharacters: number;
  readonly probeVideoId: string;
  readonly probeTimeoutMs: number;
  /** Callers of the probe within this time share one. */
  readonly probeSharedMs: number;
  /** Pages read of one list, whatever the limit. */
  readonly maxListPages: number;
  readonly profiles: readonly Profile[];
};

export const defaultSettings: EngineSettings = {
  deadlineMs: 8_000,
  listDeadlineMs: 25_000,
  requestTimeoutMs: 5_000,
  rounds: 2,
  backoffMs: 250,
  transcriptFreshMs: 7 * day,
  tracksFreshMs: 6 * hour,
  hotFreshMs: 10 * minute,
  hotEntries: 1_000,
  hotCharacters: 64_000_000,
  probeVideoId: 'jNQXAC9IVRw',
  probeTimeoutMs: 5_000,
  probeSharedMs: 10_000,
  maxListPages: 60,
  profiles: playerProfiles,
};

/** Times in milliseconds. The service sets the deadline and the age of transcripts from its own settings. */
export const defaultSettings = {
  /** From the first request of a reading to its answer, with all clients and tries. */
  deadlineMs: 8_000,
  requestTimeoutMs: 5_000,
  /** Middle of the pause before a second try; the real one is half to one and a half of it. */
  backoffMs: 250,
  /** Age at which a kept transcript is read again. */
  transcriptFreshMs: 7 * 24 * 3_600_000,
  probeVideoId: 'jNQXAC9IVRw',
  /** Callers of the probe within this time share one. */
  probeSharedMs: 10_000,
};

export type EngineSettings = Readonly<typeof defaultSettings>;

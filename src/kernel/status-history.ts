/** What one process found of the state of the service. */
export type StatusSample = {
  readonly at: Date;
  readonly state: 'operational' | 'degraded' | 'outage';
  readonly alerts: readonly { readonly id: string; readonly summary: string }[];
};

/** A UTC day: how often a process looked, and what it found. Days on which nobody looked are missing. */
export type StatusDay = {
  readonly day: string;
  readonly checks: number;
  readonly degraded: number;
  readonly outage: number;
};

/** An alert from the first look that saw it to the last. */
export type Incident = {
  readonly alert: string;
  readonly summary: string;
  readonly startedAt: string;
  readonly lastSeenAt: string;
};

/** How many days of the state are kept and shown. */
export const statusDays = 90;

/** The state of the service over time, of all processes together. */
export type StatusHistory = {
  /** Keeps a sample; while it cannot be stored it waits in memory for the next one. */
  record(sample: StatusSample): Promise<void>;
  /** Days by date; incidents newest first. */
  read(): Promise<{ readonly days: readonly StatusDay[]; readonly incidents: readonly Incident[] }>;
};

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

/** How bad operators find it; the first two leave the state of the service as it is. */
export const noteSeverities = ['info', 'maintenance', 'degraded', 'outage'] as const;
export type NoteSeverity = (typeof noteSeverities)[number];

/** The parts of the service in its status. */
export const statusComponents = [
  ...(['api', 'database', 'event_log', 'jobs'] as const),
  ...(['rate_limits', 'platform', 'read_models'] as const),
] as const;
export type StatusComponent = (typeof statusComponents)[number];

/** The lag from which a reader of the event log is reported. The alert ProjectionLags has the same bound. */
export const lateAfterS = 60;

/** What an operator says on the status page. */
export type StatusNote = {
  readonly noteId: string;
  readonly text: string;
  readonly severity: NoteSeverity;
  /** Null: the whole service. */
  readonly component: StatusComponent | null;
  readonly startedAt: string;
  /** Null: until it is ended, at most `statusDays`. */
  readonly endsAt: string | null;
};

/** How many days of the state are kept and shown. */
export const statusDays = 90;

/** The state of the service over time, of all processes together. */
export type StatusHistory = {
  /** Keeps a sample; while it cannot be stored it waits in memory for the next one. */
  record(sample: StatusSample): Promise<void>;
  /** Days by date; incidents and notes newest first. */
  read(): Promise<{
    readonly days: readonly StatusDay[];
    readonly incidents: readonly Incident[];
    readonly notes: readonly StatusNote[];
  }>;
};

/** Notes of operators; those that are over for as long as the state is kept are deleted. */
export type StatusNotes = {
  add(note: StatusNote): Promise<void>;
  /** Ends a note, unless it is over. Null: there is no such note. */
  end(noteId: string, at: Date): Promise<StatusNote | null>;
  /** Newest first. */
  list(): Promise<readonly StatusNote[]>;
};

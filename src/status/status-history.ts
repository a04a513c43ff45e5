import {
  incidentGoneMinutes,
  type NoteSeverity,
  type StatusComponent,
  type StatusReport,
  statusDays,
} from '../contract/meta.ts';

export { incidentGoneMinutes, type NoteSeverity, type StatusComponent, statusDays };

/** What one process found of the state of the service. */
export type StatusSample = {
  readonly at: Date;
  readonly state: 'operational' | 'degraded' | 'outage';
  readonly alerts: readonly { readonly id: string; readonly summary: string }[];
};

/** A UTC day: how often a process looked, and what it found. Days on which nobody looked are missing. */
type StatusDay = Readonly<StatusReport['history']['days'][number]>;

/** An alert from the first look that saw it to the last. */
export type Incident = {
  readonly alert: string;
  readonly summary: string;
  readonly startedAt: string;
  readonly lastSeenAt: string;
};

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

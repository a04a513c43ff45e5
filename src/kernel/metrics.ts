/** One answered request. `route` is the path of its endpoint, null when none matched. */
export type MeasuredResponse = {
  readonly route: string | null;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  /** The client closed the connection before the response. */
  readonly isAborted: boolean;
};

/** Whether a read was answered from what is kept or from the platform; `other`: anything else. */
export type ResponseClass = 'cached' | 'uncached' | 'other';

/** What is read at the moment of a scrape. */
export type MetricsSnapshot = {
  readonly extraction: {
    readonly consecutiveFailures: number;
    readonly lastProbe: { readonly ok: boolean; readonly latencyMs: number; readonly checkedAt: string } | null;
  };
  readonly pools: readonly {
    readonly name: string;
    readonly total: number;
    readonly idle: number;
    readonly waiting: number;
  }[];
  /** Null: no AI provider is configured. */
  readonly aiCircuit: 'closed' | 'half_open' | 'open' | null;
  /** Null: the database did not answer in time. */
  readonly database: DatabaseFigures | null;
  /** Whether the database takes writes. */
  readonly isWritable: boolean;
};

/** What the database tells of the whole installation; each process reports the same. */
export type DatabaseFigures = {
  /** How far each reader of the log is behind its end: some positions may hold no event; `seconds`: age of the oldest not handled. */
  readonly lags: readonly {
    readonly name: string;
    readonly positions: number;
    readonly seconds: number;
    /** Stopped at an event that it cannot handle. */
    readonly isStopped: boolean;
    readonly parkedStreams: number;
  }[];
  readonly headPosition: number;
  /** Tasks that are due, by name. `oldestS`: how long the oldest has been due, seconds. */
  readonly tasks: readonly { readonly task: string; readonly due: number; readonly oldestS: number }[];
  readonly workers: number;
  /** `ageS`: null where the ledgers were never audited. */
  readonly audit: { readonly ageS: number | null; readonly mismatches: number };
  readonly verification: { readonly atS: number; readonly problems: number } | null;
  /** `lastAtS`: null where nothing was ever archived. */
  readonly walArchive: { readonly failures: number; readonly lastAtS: number | null };
};

/** The measurements of one process for Prometheus. */
export type Metrics = {
  answered(response: MeasuredResponse, responseClass: ResponseClass): void;
  /** An append found its stream at another version. */
  appendConflicted(): void;
  creditsCharged(credits: number): void;
  /** `result`: `delivered`, or why the attempt failed. */
  webhookAttempted(result: string): void;
  workersReaped(workers: number): void;
  /** An egress to the platform is avoided for a while. */
  egressAvoided(why: string): void;
  /** The text format of Prometheus, with what was read just now. */
  expose(snapshot: MetricsSnapshot): Promise<string>;
};

/** For commands, which nobody scrapes. */
export const noMetrics: Metrics = {
  answered: () => {},
  appendConflicted: () => {},
  creditsCharged: () => {},
  webhookAttempted: () => {},
  workersReaped: () => {},
  egressAvoided: () => {},
  expose: async () => '',
};

/** Classes of work with an objective: cached reads and metadata; reads that call the platform; liveness. */
export type Work = 'cached' | 'uncached' | 'liveness';

/** Responses in one minute or hour. */
export type Responses = { readonly total: number; readonly failed: number };

/** Counts by the upper bound of a bucket, in ms. */
export type Histogram = ReadonlyMap<number, number>;

/** Responses of this process in one minute, from its begin. */
export type MinuteOfResponses = Responses & {
  readonly startedAt: Date;
  readonly durations: Readonly<Record<Work, Histogram>>;
};

/** Responses of this process in one hour, from its begin. */
export type HourOfResponses = Responses & { readonly startedAt: Date };

/** Extractions and the last probe of one process; times are RFC 3339. */
export type ExtractionReport = {
  readonly consecutiveFailures: number;
  readonly lastExtractedAt: string | null;
  readonly lastFailureAt: string | null;
  readonly lastProbe: { readonly ok: boolean; readonly latencyMs: number; readonly checkedAt: string } | null;
};

/** What all processes have recorded. */
export type ServiceRecords = {
  readonly last30Days: Responses;
  readonly lastHour: Responses;
  readonly durations: Readonly<Record<Work, Histogram>>;
  /** Of processes other than this one, those that are gone too. */
  readonly others: readonly ExtractionReport[];
};

/** What processes record of their work, for the objectives. */
export type ServiceRecordStore = {
  /** Keeps the counts of this process since the begin of each minute and hour; a repeat changes nothing. */
  recordResponses(counts: {
    readonly minutes: readonly MinuteOfResponses[];
    readonly hours: readonly HourOfResponses[];
  }): Promise<void>;
  recordExtraction(report: ExtractionReport): Promise<void>;
  read(): Promise<ServiceRecords>;
};

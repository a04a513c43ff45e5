-- What processes record of their work, for the objectives of the status, and what operators say there. Everything here can be dropped.

-- Responses of one process in one minute; `durations`: by class of work, the bound of a histogram (ms) to its count.
CREATE TABLE response_minute (
  minute timestamptz(0) NOT NULL,
  process_id uuid NOT NULL,
  total integer NOT NULL,
  failed integer NOT NULL,
  durations jsonb NOT NULL,
  CONSTRAINT response_minute_pkey PRIMARY KEY (minute, process_id)
);

CREATE TABLE response_hour (
  hour timestamptz(0) NOT NULL,
  process_id uuid NOT NULL,
  total integer NOT NULL,
  failed integer NOT NULL,
  CONSTRAINT response_hour_pkey PRIMARY KEY (hour, process_id)
);

-- The extractions and the last look at the platform of one process.
CREATE TABLE extraction_report (
  process_id uuid NOT NULL,
  reported_at timestamptz(3) NOT NULL,
  consecutive_failures integer NOT NULL,
  last_extracted_at timestamptz(3),
  last_failure_at timestamptz(3),
  probe_ok boolean,
  probe_latency_ms double precision,
  probe_checked_at timestamptz(3),
  CONSTRAINT extraction_report_pkey PRIMARY KEY (process_id)
);

CREATE TABLE status_note (
  note_id text COLLATE "C" NOT NULL,
  text text NOT NULL,
  severity text NOT NULL,
  -- Null: the whole service.
  component text,
  started_at timestamptz(3) NOT NULL,
  -- Null: until it is ended.
  ends_at timestamptz(3),
  CONSTRAINT status_note_pkey PRIMARY KEY (note_id)
);

-- Tells operators, and a second API process that would weaken the limits, which processes run on this database.
CREATE TABLE processes (
  process_id text PRIMARY KEY,
  role       text NOT NULL,
  host       text NOT NULL,
  os_pid     integer NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  beat_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT processes_role_known CHECK (role IN ('all', 'api', 'worker'))
);

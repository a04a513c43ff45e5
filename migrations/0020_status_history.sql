-- What processes found of the state of the service, for its status page. Everything here can be dropped.
CREATE TABLE status_day (
  day date NOT NULL,
  -- How often a process looked, and how often the service was degraded or out.
  checks integer NOT NULL,
  degraded integer NOT NULL,
  outage integer NOT NULL,
  CONSTRAINT status_day_pkey PRIMARY KEY (day)
);

-- An alert from the first look that saw it to the last.
CREATE TABLE status_incident (
  alert text COLLATE "C" NOT NULL,
  started_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  summary text NOT NULL,
  CONSTRAINT status_incident_pkey PRIMARY KEY (alert, started_at)
);

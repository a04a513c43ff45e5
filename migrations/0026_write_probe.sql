-- The row that readiness writes to find out whether the database takes writes. It has one row.
CREATE TABLE write_probe (
  is_newest boolean NOT NULL DEFAULT true,
  written_at timestamptz(3) NOT NULL,
  CONSTRAINT write_probe_pkey PRIMARY KEY (is_newest),
  CONSTRAINT write_probe_is_newest CHECK (is_newest)
);

-- What the newest verification of the whole log found, for metrics and alerts. It has one row, and can be dropped.
CREATE TABLE verification (
  is_newest boolean NOT NULL DEFAULT true,
  verified_at timestamptz(3) NOT NULL,
  events bigint NOT NULL,
  problems integer NOT NULL,
  CONSTRAINT verification_pkey PRIMARY KEY (is_newest),
  CONSTRAINT verification_is_newest CHECK (is_newest)
);

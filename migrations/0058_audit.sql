-- How far the auditor has compared the ledgers with what is shown of them, and what does not match. Both can be dropped.
CREATE TABLE audit_state (
  is_only        boolean NOT NULL DEFAULT true,
  -- Every entry up to this position of the event log was compared once.
  position       bigint NOT NULL DEFAULT 0,
  -- Where the repeated comparison of all entries is.
  swept_position bigint NOT NULL DEFAULT 0,
  -- When a worker last began to compare, so that others do not at the same time.
  begun_at       timestamptz(3) NOT NULL DEFAULT '-infinity',
  -- When a comparison last came to its end.
  checked_at     timestamptz(3),
  CONSTRAINT audit_state_pkey PRIMARY KEY (is_only),
  CONSTRAINT audit_state_is_only CHECK (is_only)
) WITH (fillfactor=50);
INSERT INTO audit_state DEFAULT VALUES;

-- `what`: books, of an account; leaves, of the transparency log behind a position.
CREATE TABLE audit_mismatch (
  what     text NOT NULL,
  subject  text NOT NULL,
  message  text NOT NULL,
  found_at timestamptz(3) NOT NULL,
  CONSTRAINT audit_mismatch_pkey PRIMARY KEY (what, subject)
);

-- Which SECRET_KEY this database was begun with: another one is refused before it makes passwords and mailboxes that the first does not know.
CREATE TABLE secret_fingerprint (
  -- One row at most.
  is_only     boolean NOT NULL DEFAULT true,
  fingerprint text NOT NULL,
  CONSTRAINT secret_fingerprint_pkey PRIMARY KEY (is_only),
  CONSTRAINT secret_fingerprint_is_only CHECK (is_only)
);

-- The terms that the index holds of a text: a removal must not depend on how its words would be read today. NULL: kept before this migration.
ALTER TABLE library_versions ADD COLUMN terms text[];

-- Tails in parts, each with the passage from which its first distance counts: a removal rewrites a part, not a list of a million passages.
ALTER TABLE library_tails ADD COLUMN base integer;
UPDATE library_tails SET base = start;
ALTER TABLE library_tails
  ALTER COLUMN base SET NOT NULL,
  DROP CONSTRAINT library_tails_pkey,
  ADD CONSTRAINT library_tails_pkey PRIMARY KEY (library_id, term, start, base);

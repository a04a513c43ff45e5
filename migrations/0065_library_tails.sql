-- Of the long lists of a run, all but the postings that add most: most searches do not read them. A text that no run holds yet becomes a run of level 0.
CREATE TABLE library_tails (
  library_id  integer NOT NULL,
  term        text COLLATE "C" NOT NULL,
  start       integer NOT NULL,
  postings    bytea NOT NULL,
  CONSTRAINT library_tails_pkey PRIMARY KEY (library_id, term, start)
);

ALTER TABLE library_tails ALTER COLUMN postings SET STORAGE EXTERNAL;

CREATE INDEX library_tails_start_idx ON library_tails (library_id, start);

INSERT INTO library_runs (library_id, start, level)
SELECT library_id, first_passage, 0
FROM library_versions
WHERE recent IS NOT NULL;

-- One block for each text. A number below 128 takes one byte, others two: seven bits a byte, the low ones first.
CREATE FUNCTION pg_temp.number(n integer) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN n < 128 THEN set_byte('\x00', 0, n)
    ELSE set_byte(set_byte('\x0000', 0, (n & 127) | 128), 1, n >> 7)
  END
$$;

INSERT INTO library_postings (library_id, start, term, block)
SELECT v.library_id, v.first_passage, min(of.term),
  string_agg(
    '\x00'::bytea || pg_temp.number(octet_length(of.term)) || convert_to(of.term, 'UTF8')
      || pg_temp.number(octet_length(of.postings) / 2) || pg_temp.number(octet_length(of.postings)) || of.postings,
    ''::bytea ORDER BY of.term)
FROM library_versions AS v
CROSS JOIN LATERAL (
  SELECT key COLLATE "C" AS term, decode(value, 'base64') AS postings FROM jsonb_each_text(v.recent)
) AS of
WHERE v.recent IS NOT NULL
GROUP BY v.library_id, v.first_passage;

DROP INDEX library_versions_recent_idx;
ALTER TABLE library_versions DROP COLUMN recent;

-- Merges leave the rows of shorter runs behind: what is free is used by the next ones.
ALTER TABLE library_postings SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
ALTER TABLE library_tails SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);

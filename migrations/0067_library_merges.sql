-- Merges of runs in many short transactions: the run into which each of the others is moved, some terms at a time.
ALTER TABLE library_runs ADD COLUMN merged_into integer;
CREATE INDEX library_runs_merged_into_idx ON library_runs (library_id, merged_into) WHERE merged_into IS NOT NULL;

-- Captions as bytes: of compressed text, Postgres decompresses all to find a character, of bytes only what is before their end. The places of passages are counted in bytes too.
UPDATE library_versions SET passages = (
  SELECT array_agg(CASE at % 4
    WHEN 1 THEN octet_length(left(captions, number))
    WHEN 2 THEN octet_length(substr(captions, before + 1, number))
    ELSE number
  END ORDER BY at)
  FROM (SELECT number, at, lag(number) OVER (ORDER BY at) AS before FROM unnest(passages) WITH ORDINALITY AS of (number, at)) AS each
)
WHERE octet_length(captions) > char_length(captions) AND passages <> '{}';

ALTER TABLE library_versions ALTER COLUMN captions TYPE bytea USING convert_to(captions, 'UTF8');

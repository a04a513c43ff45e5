-- Postings in blocks of many terms: a row for each term is several times its postings. Libraries of before are indexed by none of their rows here.
DROP TABLE library_postings;

CREATE TABLE library_postings (
  library_id  integer NOT NULL,
  start       integer NOT NULL,
  term        text COLLATE "C" NOT NULL,
  block       bytea NOT NULL,
  CONSTRAINT library_postings_pkey PRIMARY KEY (library_id, start, term)
);

ALTER TABLE library_postings ALTER COLUMN block SET STORAGE EXTERNAL;

-- What accounts keep of what they read, and the index of it. Rows are copies that their account can delete; the log says what was kept and removed.
CREATE TABLE libraries (
  library_id    integer GENERATED ALWAYS AS IDENTITY,
  account_id    text NOT NULL,
  videos        integer NOT NULL DEFAULT 0,
  next_passage  integer NOT NULL DEFAULT 0,
  CONSTRAINT libraries_pkey PRIMARY KEY (library_id),
  CONSTRAINT libraries_account_id_key UNIQUE (account_id)
);

CREATE TABLE library_videos (
  library_id  integer NOT NULL,
  video_id    text COLLATE "C" NOT NULL,
  title       text,
  channel     text,
  channel_id  text,
  duration_s  integer,
  kept_at     timestamptz(3) NOT NULL,
  CONSTRAINT library_videos_pkey PRIMARY KEY (library_id, video_id),
  CONSTRAINT library_videos_library_fkey FOREIGN KEY (library_id) REFERENCES libraries ON DELETE CASCADE
);

CREATE INDEX library_videos_kept_at_idx ON library_videos (library_id, kept_at, video_id);

-- Captions by their content. Of each language, the newest version is searched: it has places (first_passage on) among the passages of the library.
CREATE TABLE library_versions (
  library_id      integer NOT NULL,
  video_id        text COLLATE "C" NOT NULL,
  version         integer NOT NULL,
  language        text NOT NULL,
  source          text NOT NULL,
  content_sha256  text NOT NULL,
  first_seen_at   timestamptz(3) NOT NULL,
  captions        text NOT NULL,
  times           integer[] NOT NULL,
  stems           text COLLATE "C" NOT NULL,
  first_passage   integer,
  passages        integer[] NOT NULL,
  recent          jsonb,
  CONSTRAINT library_versions_pkey PRIMARY KEY (library_id, video_id, version),
  CONSTRAINT library_versions_video_fkey FOREIGN KEY (library_id, video_id) REFERENCES library_videos ON DELETE CASCADE
);

CREATE INDEX library_versions_passage_idx ON library_versions (library_id, first_passage) WHERE first_passage IS NOT NULL;
CREATE INDEX library_versions_recent_idx ON library_versions (library_id, first_passage) WHERE recent IS NOT NULL;

-- How many passages are searched in each language, for the rarity of a term.
CREATE TABLE library_languages (
  library_id  integer NOT NULL,
  stems       text COLLATE "C" NOT NULL,
  versions    integer NOT NULL,
  passages    integer NOT NULL,
  CONSTRAINT library_languages_pkey PRIMARY KEY (library_id, stems),
  CONSTRAINT library_languages_library_fkey FOREIGN KEY (library_id) REFERENCES libraries ON DELETE CASCADE
);

-- Postings of many texts together. A run begins at a passage; `level` 1 holds 16 texts, each further level 16 times as many.
CREATE TABLE library_runs (
  library_id  integer NOT NULL,
  start       integer NOT NULL,
  level       smallint NOT NULL,
  CONSTRAINT library_runs_pkey PRIMARY KEY (library_id, start),
  CONSTRAINT library_runs_library_fkey FOREIGN KEY (library_id) REFERENCES libraries ON DELETE CASCADE
);

CREATE TABLE library_postings (
  library_id  integer NOT NULL,
  start       integer NOT NULL,
  term        text COLLATE "C" NOT NULL,
  passages    integer NOT NULL,
  postings    bytea NOT NULL,
  CONSTRAINT library_postings_pkey PRIMARY KEY (library_id, start, term)
);

ALTER TABLE library_postings ALTER COLUMN postings SET STORAGE EXTERNAL;

-- The vocabulary of the runs, for typing errors and related words. Grams are hashes of three letters and the library.
CREATE TABLE library_terms (
  library_id  integer NOT NULL,
  term        text COLLATE "C" NOT NULL,
  grams       integer[] NOT NULL,
  CONSTRAINT library_terms_pkey PRIMARY KEY (library_id, term)
);

CREATE INDEX library_terms_grams_idx ON library_terms USING gin (grams);

-- Meanings of passages that were found by words before, by the model that made them.
CREATE TABLE library_vectors (
  library_id  integer NOT NULL,
  passage     integer NOT NULL,
  model       text NOT NULL,
  vector      real[] NOT NULL,
  CONSTRAINT library_vectors_pkey PRIMARY KEY (library_id, passage)
);

-- What an account has chosen; a row is there once it has chosen something.
CREATE TABLE account_settings (
  account_id       text NOT NULL,
  keep_by_default  boolean,
  CONSTRAINT account_settings_pkey PRIMARY KEY (account_id)
);

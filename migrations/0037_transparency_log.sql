-- The Merkle log of all ledger entries (docs/transparency.md), and what is known of the logs of others.
CREATE TABLE tlog_head (
  is_only    boolean NOT NULL DEFAULT true,
  -- The name of the log, fixed when it is begun.
  origin     text NOT NULL,
  size       bigint NOT NULL,
  -- Everything up to this position of the event log is in it.
  position   bigint NOT NULL,
  -- The newest checkpoint, a signed note.
  checkpoint text NOT NULL,
  signed_at  timestamptz NOT NULL,
  CONSTRAINT tlog_head_pkey PRIMARY KEY (is_only),
  CONSTRAINT tlog_head_is_only CHECK (is_only)
) WITH (fillfactor=50);

-- Tiles of C2SP tlog-tiles: up to 256 hashes of 32 bytes.
CREATE TABLE tlog_tile (
  level  smallint NOT NULL,
  index  bigint NOT NULL,
  hashes bytea NOT NULL,
  CONSTRAINT tlog_tile_pkey PRIMARY KEY (level, index)
);

-- Up to 256 entries of 32 bytes, with the position of the event that each is of.
CREATE TABLE tlog_bundle (
  index          bigint NOT NULL,
  first_position bigint NOT NULL,
  positions      bigint[] NOT NULL,
  entries        bytea NOT NULL,
  CONSTRAINT tlog_bundle_pkey PRIMARY KEY (index),
  CONSTRAINT tlog_bundle_first_position UNIQUE (first_position)
);

-- Derived from the SECRET_KEY of the time of the first entry; it stays when that key is replaced.
CREATE TABLE tlog_salt (
  account_id text NOT NULL,
  salt       bytea NOT NULL,
  CONSTRAINT tlog_salt_pkey PRIMARY KEY (account_id)
);

-- Public keys that have signed checkpoints; former ones stay published.
CREATE TABLE tlog_key (
  vkey       text NOT NULL,
  first_used timestamptz NOT NULL,
  CONSTRAINT tlog_key_pkey PRIMARY KEY (vkey)
);

-- Logs of others that this one witnesses, with the newest checkpoint that it cosigned.
CREATE TABLE tlog_witnessed (
  origin      text NOT NULL,
  url         text NOT NULL,
  vkeys       text[] NOT NULL,
  size        bigint NOT NULL,
  root        bytea NOT NULL,
  checkpoint  text NOT NULL,
  cosigned_at timestamptz NOT NULL,
  CONSTRAINT tlog_witnessed_pkey PRIMARY KEY (origin)
);

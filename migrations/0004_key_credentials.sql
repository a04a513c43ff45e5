-- Why: a request carries a key; its hash must lead to the holder in one indexed look-up, in the same breath as the key's events.
CREATE TABLE key_credentials (
  key_id       text PRIMARY KEY,
  account_id   text NOT NULL,
  secret_hash  text NOT NULL,
  scopes       text[] NOT NULL,
  cap_credits  bigint,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  created_at   timestamptz NOT NULL,
  CONSTRAINT key_credentials_secret_hash_unique UNIQUE (secret_hash)
);

CREATE INDEX key_credentials_account_id ON key_credentials (account_id);

-- When a key was last seen, to the minute; written in batches, beside the events on purpose.
CREATE TABLE key_sightings (
  key_id        text PRIMARY KEY,
  last_used_at  timestamptz NOT NULL
);

-- Which SECRET_KEY made what, so that another one can replace it while the service runs. A key is named by the first
-- 16 characters of its fingerprint.
ALTER TABLE secret_fingerprint
  -- The fingerprint of the key that is being replaced; null: none is.
  ADD COLUMN previous text,
  -- The newest one that was replaced: it does not come back by mistake.
  ADD COLUMN retired text,
  -- When the newest replacement began.
  ADD COLUMN begun_at timestamptz,
  -- The key of rows that name none, because they are older; null: that of the fingerprint.
  ADD COLUMN unmarked_id text;

-- The key of the hash of the mailbox and of the signing secrets that are in no table; that of the password beside it.
ALTER TABLE account_profiles
  ADD COLUMN secret_id text,
  ADD COLUMN password_secret_id text;

ALTER TABLE idempotency_keys ADD COLUMN secret_id text;

-- The keys that a process has, its SECRET_KEY first. Null: its version does not tell.
ALTER TABLE processes ADD COLUMN secret_ids text[];

-- Signing secrets, encrypted, of owners whose account was made under another key than they were.
CREATE TABLE webhook_secrets (
  -- A webhook, or an account for the URLs of its jobs.
  owner_id text NOT NULL,
  generation integer NOT NULL,
  account_id text NOT NULL,
  sealed bytea NOT NULL,
  secret_id text NOT NULL,
  CONSTRAINT webhook_secrets_pkey PRIMARY KEY (owner_id, generation),
  CONSTRAINT webhook_secrets_account FOREIGN KEY (account_id)
    REFERENCES account_profiles (account_id) ON DELETE CASCADE
);
CREATE INDEX webhook_secrets_of ON webhook_secrets (account_id);

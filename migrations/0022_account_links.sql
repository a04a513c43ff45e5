-- Links by which an owner sets a new password or proves the mailbox: only hashes of their tokens, which are good once.
CREATE TABLE account_links (
  token_sha256 bytea NOT NULL,
  account_id text NOT NULL,
  purpose text NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT account_links_pkey PRIMARY KEY (token_sha256),
  CONSTRAINT account_links_account FOREIGN KEY (account_id)
    REFERENCES account_profiles (account_id) ON DELETE CASCADE
);
CREATE INDEX account_links_of ON account_links (account_id, purpose);
CREATE INDEX account_links_end ON account_links (expires_at);

-- Null: the owner was not asked to prove the mailbox, or has not done so.
ALTER TABLE account_profiles ADD COLUMN mailbox_proved_at timestamptz;

-- Mails that are sent at most once, such as the one about low credits in a period.
CREATE TABLE account_notices (
  account_id text NOT NULL,
  notice text NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT account_notices_pkey PRIMARY KEY (account_id, notice),
  CONSTRAINT account_notices_account FOREIGN KEY (account_id)
    REFERENCES account_profiles (account_id) ON DELETE CASCADE
);

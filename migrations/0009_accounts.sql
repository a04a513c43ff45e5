-- What is known about people stands outside the log, so that it can be erased while every hash chain stays whole.

CREATE TABLE account_profiles (
  account_id    text NOT NULL,
  user_id       text NOT NULL,
  -- HMAC-SHA-256 of the canonical address; the same value names the stream of the mailbox.
  mailbox_hash  text NOT NULL,
  email         text NOT NULL,
  name          text,
  -- Argon2id, PHC form, peppered.
  password_hash text NOT NULL,
  registered_at timestamptz NOT NULL,
  CONSTRAINT account_profiles_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_profiles_user UNIQUE (user_id),
  CONSTRAINT account_profiles_mailbox UNIQUE (mailbox_hash)
);

CREATE TABLE account_sessions (
  token_sha256 bytea NOT NULL,
  session_id   text NOT NULL,
  account_id   text NOT NULL,
  started_at   timestamptz NOT NULL,
  renewed_at   timestamptz NOT NULL,
  idle_ends_at timestamptz NOT NULL,
  ends_at      timestamptz NOT NULL,
  ip           text NOT NULL,
  user_agent   text,
  CONSTRAINT account_sessions_pkey PRIMARY KEY (token_sha256),
  CONSTRAINT account_sessions_id UNIQUE (session_id),
  CONSTRAINT account_sessions_account FOREIGN KEY (account_id)
    REFERENCES account_profiles (account_id) ON DELETE CASCADE
);
CREATE INDEX account_sessions_of ON account_sessions (account_id);
CREATE INDEX account_sessions_end ON account_sessions (LEAST(idle_ends_at, ends_at));

-- Where requests about an account came from; joined with the events of the same request.
CREATE TABLE account_origins (
  account_id text NOT NULL,
  request_id text NOT NULL,
  ip         text NOT NULL,
  user_agent text,
  noted_at   timestamptz NOT NULL,
  CONSTRAINT account_origins_pkey PRIMARY KEY (account_id, request_id),
  CONSTRAINT account_origins_account FOREIGN KEY (account_id)
    REFERENCES account_profiles (account_id) ON DELETE CASCADE
);
CREATE INDEX account_origins_noted ON account_origins (noted_at);

-- Each captcha is answered once, in whichever process.
CREATE TABLE captcha_nonces (
  nonce      text NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT captcha_nonces_pkey PRIMARY KEY (nonce)
);
CREATE INDEX captcha_nonces_expiry ON captcha_nonces (expires_at);

-- Counters against abuse. Buckets are keyed hashes of addresses, mailboxes and domains.
CREATE TABLE attempt_tallies (
  bucket        text NOT NULL,
  tally         integer NOT NULL,
  started_at    timestamptz NOT NULL,
  blocked_until timestamptz NOT NULL,
  CONSTRAINT attempt_tallies_pkey PRIMARY KEY (bucket)
);
CREATE INDEX attempt_tallies_age ON attempt_tallies (GREATEST(started_at, blocked_until));

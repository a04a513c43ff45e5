-- Why: applications that an owner has authorized act with tokens. What they may do and spend must be found in the look-up
-- of a token, and ends in the transaction of its event.
CREATE TABLE oauth_authorizations (
  authorization_id  text NOT NULL,
  account_id        text NOT NULL,
  client_id         text NOT NULL,
  -- As the application names itself.
  client_name       text NOT NULL,
  scopes            text[] NOT NULL,
  credits_per_day   bigint NOT NULL,
  credits_total     bigint NOT NULL,
  created_at        timestamptz NOT NULL,
  expires_at        timestamptz NOT NULL,
  ended_at          timestamptz,
  CONSTRAINT oauth_authorizations_pkey PRIMARY KEY (authorization_id)
);

CREATE INDEX oauth_authorizations_account ON oauth_authorizations (account_id, created_at);

-- What the authorization server keeps: clients, sessions, requests for consent, codes and tokens. Each is found by the
-- SHA-256 of its secret, which stands nowhere in the row.
CREATE TABLE oauth_state (
  kind              text NOT NULL,
  id_hash           text NOT NULL,
  -- A second name, which is no secret.
  uid               text,
  authorization_id  text,
  account_id        text,
  payload           jsonb NOT NULL,
  consumed_at       timestamptz,
  -- Null: kept until it is deleted.
  expires_at        timestamptz,
  CONSTRAINT oauth_state_pkey PRIMARY KEY (kind, id_hash)
);

CREATE INDEX oauth_state_uid ON oauth_state (uid) WHERE uid IS NOT NULL;
CREATE INDEX oauth_state_authorization ON oauth_state (authorization_id) WHERE authorization_id IS NOT NULL;
CREATE INDEX oauth_state_account ON oauth_state (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX oauth_state_expires ON oauth_state (expires_at);

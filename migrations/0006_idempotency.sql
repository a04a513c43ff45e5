-- Keeps the answers of requests that carry an Idempotency-Key, so that a repetition is answered and never charged again.
CREATE TABLE idempotency_keys (
  account_id    text NOT NULL,
  route         text NOT NULL,
  key           text NOT NULL,
  fingerprint   text NOT NULL,
  -- The same for every attempt under this row: the ledger charges it once.
  operation_key text NOT NULL,
  -- The process that works on it until leased_until; empty when nobody does.
  owner         text NOT NULL,
  leased_until  timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  -- The answer; all three are null until there is one.
  status        smallint,
  headers       jsonb,
  body          bytea,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, route, key),
  CONSTRAINT idempotency_keys_answer CHECK (
    (status IS NULL) = (headers IS NULL) AND (status IS NULL) = (body IS NULL)
  )
);

CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

-- What the heartbeat of a process looks for.
CREATE INDEX idempotency_keys_running ON idempotency_keys (owner) WHERE status IS NULL AND owner <> '';

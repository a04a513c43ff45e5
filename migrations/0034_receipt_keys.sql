-- The public keys that ever signed receipts: they stay published, so that every receipt can be verified for ever.
CREATE TABLE receipt_keys (
  -- Its thumbprint, RFC 7638.
  kid text NOT NULL,
  jwk jsonb NOT NULL,
  first_used_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT receipt_keys_pkey PRIMARY KEY (kid)
);

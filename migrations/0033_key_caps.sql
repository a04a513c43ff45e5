-- The window in which the cap of a key counts, and the shares of it at which its owner is warned. Null: the billing period,
-- and no warning.
ALTER TABLE key_credentials
  ADD COLUMN cap_period text,
  ADD COLUMN warn_at smallint[];

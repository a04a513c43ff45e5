-- One number that changes with every change of a key or of the suspension of an account, in the same transaction. A process keeps
-- the keys it has looked up for as long as the number stays, and asks for the number alone, once for all of them.
CREATE TABLE credential_version (
  only_row boolean NOT NULL DEFAULT true,
  version bigint NOT NULL,
  CONSTRAINT credential_version_pkey PRIMARY KEY (only_row),
  CONSTRAINT credential_version_has_one_row CHECK (only_row)
) WITH (fillfactor = 50);

INSERT INTO credential_version (version) VALUES (1);

CREATE FUNCTION credential_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE credential_version SET version = version + 1;
  RETURN NULL;
END $$;

CREATE TRIGGER key_credentials_changed AFTER UPDATE OR DELETE OR TRUNCATE ON key_credentials
  FOR EACH STATEMENT EXECUTE FUNCTION credential_changed();

CREATE TRIGGER account_profiles_suspended AFTER UPDATE OF suspended_at ON account_profiles
  FOR EACH STATEMENT EXECUTE FUNCTION credential_changed();

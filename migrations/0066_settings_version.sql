-- What an account has chosen is kept like its keys, for as long as the number of 0031 stays: every request of every account asks for it.
CREATE TRIGGER account_settings_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON account_settings
  FOR EACH STATEMENT EXECUTE FUNCTION credential_changed();

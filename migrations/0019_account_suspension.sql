-- Since when an account is suspended; written in the transaction of AccountSuspended and AccountResumed.
ALTER TABLE account_profiles ADD COLUMN suspended_at timestamptz;

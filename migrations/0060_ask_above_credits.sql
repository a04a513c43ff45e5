-- Prices above it are asked about; NULL: none is.
ALTER TABLE account_settings ADD COLUMN ask_above_credits integer;

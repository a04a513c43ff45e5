-- What owners type (names of keys, URLs) stands outside the log, so that it can be erased; events hold references to it.
CREATE TABLE account_words (
  -- `wrd_` and a keyed hash of account and text: the same text of one account is one row.
  word_id    text NOT NULL,
  account_id text NOT NULL,
  text       text NOT NULL,
  CONSTRAINT account_words_pkey PRIMARY KEY (word_id)
);
CREATE INDEX account_words_of ON account_words (account_id);

-- Accounts nobody is behind any more: nothing may begin to belong to them.
CREATE TABLE erased_accounts (
  account_id text NOT NULL,
  CONSTRAINT erased_accounts_pkey PRIMARY KEY (account_id)
);

-- The text behind a reference, NULL when it was erased; what is no reference is the text itself.
CREATE FUNCTION typed_text(p_kept text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN p_kept LIKE 'wrd\_%' THEN (SELECT w.text FROM account_words AS w WHERE w.word_id = p_kept)
    ELSE p_kept
  END
$$;

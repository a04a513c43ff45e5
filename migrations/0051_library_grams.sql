-- Grams of new terms go into their index at once: a search looks a hundred of them up, and would read the list of pending entries for each.
ALTER INDEX library_terms_grams_idx SET (fastupdate = off);

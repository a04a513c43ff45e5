-- Whether an answer was sent that is not kept, because it was too large: its charge is then never refunded as lost.
ALTER TABLE idempotency_keys ADD COLUMN was_answered boolean NOT NULL DEFAULT false;

-- Captions that are to be kept once their charge is in the log, written before it: a worker keeps what a process that ended did not.
CREATE TABLE library_outbox (
  charge_id       uuid NOT NULL,
  account_id      text NOT NULL,
  video_id        text COLLATE "C" NOT NULL,
  language        text NOT NULL,
  content_sha256  text NOT NULL,
  extraction      text NOT NULL,
  added_at        timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT library_outbox_pkey PRIMARY KEY (charge_id)
);

CREATE INDEX library_outbox_video_idx ON library_outbox (account_id, video_id);
CREATE INDEX library_outbox_age_idx ON library_outbox (added_at);

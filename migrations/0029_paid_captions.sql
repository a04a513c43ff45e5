-- Captions that an account or a visitor has paid for, by their content: pages show them again for 24 hours, free of charge.
CREATE TABLE paid_captions (
  reader         text NOT NULL,
  video_id       text NOT NULL,
  content_sha256 text NOT NULL,
  language       text NOT NULL,
  paid_at        timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT paid_captions_pkey PRIMARY KEY (reader, video_id, content_sha256)
);

CREATE INDEX paid_captions_age ON paid_captions (paid_at);

-- How often the work under a key was begun: a refused first attempt changed nothing, and its key stands for no request.
ALTER TABLE idempotency_keys ADD COLUMN attempts integer NOT NULL DEFAULT 1;

-- What was read from the video platform: videos with their tracks, captions by content, refusals with an end.
-- Everything here can be dropped: it is read from the platform again.

CREATE TABLE platform_video (
  video_id text COLLATE "C" NOT NULL,
  video json NOT NULL,
  tracks json NOT NULL,
  default_track_id text,
  fetched_at timestamptz(3) NOT NULL,
  CONSTRAINT platform_video_pkey PRIMARY KEY (video_id)
);

-- Equal captions are stored once: the same film uploaded twice, the same track read again a week later.
CREATE TABLE platform_caption_content (
  content_sha256 text COLLATE "C" NOT NULL,
  segments text NOT NULL,
  used_at timestamptz(3) NOT NULL,
  CONSTRAINT platform_caption_content_pkey PRIMARY KEY (content_sha256)
);

CREATE TABLE platform_caption (
  video_id text COLLATE "C" NOT NULL,
  track_id text COLLATE "C" NOT NULL,
  content_sha256 text COLLATE "C" NOT NULL,
  fetched_at timestamptz(3) NOT NULL,
  CONSTRAINT platform_caption_pkey PRIMARY KEY (video_id, track_id),
  CONSTRAINT platform_caption_content_fkey
    FOREIGN KEY (content_sha256) REFERENCES platform_caption_content
);

-- track_id is empty where the refusal is about the whole video.
CREATE TABLE platform_refusal (
  video_id text COLLATE "C" NOT NULL,
  track_id text COLLATE "C" NOT NULL,
  failure json NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT platform_refusal_pkey PRIMARY KEY (video_id, track_id)
);

CREATE INDEX platform_video_fetched_at_idx ON platform_video (fetched_at);
CREATE INDEX platform_caption_fetched_at_idx ON platform_caption (fetched_at);
CREATE INDEX platform_caption_content_sha256_idx ON platform_caption (content_sha256);
CREATE INDEX platform_caption_content_used_at_idx ON platform_caption_content (used_at);
CREATE INDEX platform_refusal_expires_at_idx ON platform_refusal (expires_at);

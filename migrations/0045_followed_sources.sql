-- Channels and playlists that accounts follow: what was seen in each, and who is to be told of what is new. A look at a
-- source is no event of an account: it is made once for all that follow it.
CREATE TABLE followed_sources (
  source         text PRIMARY KEY,
  id             bigint NOT NULL UNIQUE GENERATED ALWAYS AS IDENTITY,
  title          text,
  etag           text,
  last_modified  text,
  -- Not all videos that were there at the first look are known.
  is_partial     boolean NOT NULL,
  interval_s     integer NOT NULL,
  last_look_at   timestamptz NOT NULL,
  -- Null: nobody who is not paused follows it.
  next_look_at   timestamptz,
  -- Since when the platform refuses it.
  refused_since  timestamptz,
  refused_code   text
);
CREATE INDEX ON followed_sources (next_look_at) WHERE next_look_at IS NOT NULL;

CREATE TABLE followed_videos (
  source       text NOT NULL REFERENCES followed_sources ON DELETE CASCADE,
  video_id     text NOT NULL,
  number       bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  title        text,
  is_short     boolean NOT NULL,
  -- It was there before the first look, beyond what was read then: nobody is told.
  is_old       boolean NOT NULL,
  PRIMARY KEY (source, video_id)
);
CREATE INDEX ON followed_videos (source, number) WHERE NOT is_old;

CREATE TABLE follow_subscriptions (
  follow_id    text PRIMARY KEY,
  account_id   text NOT NULL,
  key_id       text,
  source       text NOT NULL REFERENCES followed_sources,
  is_active    boolean NOT NULL,
  interval_s   integer NOT NULL,
  kinds        text[] NOT NULL,
  -- What is above this number is new to the follow.
  read_to      bigint NOT NULL,
  UNIQUE (account_id, source)
);
CREATE INDEX ON follow_subscriptions (source) WHERE is_active;
CREATE INDEX ON follow_subscriptions (key_id) WHERE key_id IS NOT NULL;

-- Follows that an authorized application has made, and indexes for a source that many follow: those of its follows that
-- have something to read, and the shortest of their intervals.
ALTER TABLE follow_subscriptions ADD COLUMN authorization_id text;
CREATE INDEX ON follow_subscriptions (authorization_id) WHERE authorization_id IS NOT NULL;
CREATE INDEX ON follow_subscriptions (source, read_to) WHERE is_active;
CREATE INDEX ON follow_subscriptions (source, interval_s) WHERE is_active;
DROP INDEX follow_subscriptions_source_idx;

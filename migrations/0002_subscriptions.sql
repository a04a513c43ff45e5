-- What readers of the log keep: how far they are, which streams wait for a repair, and folded states.

CREATE TABLE es_subscription (
  name text NOT NULL,
  position bigint NOT NULL DEFAULT 0,
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Why the line stands still since the event at failed_position; null while it runs.
  failed_position bigint,
  failure text,
  failed_at timestamptz,
  CONSTRAINT es_subscription_pkey PRIMARY KEY (name)
) WITH (fillfactor = 50);

-- A stream whose event a subscription could not handle: from `version` on it waits, so that its order holds.
CREATE TABLE es_parked_stream (
  subscription text NOT NULL,
  stream text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  position bigint NOT NULL,
  event_id uuid NOT NULL,
  failure text NOT NULL,
  parked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT es_parked_stream_pkey PRIMARY KEY (subscription, stream),
  CONSTRAINT es_parked_stream_subscription_fkey FOREIGN KEY (subscription)
    REFERENCES es_subscription (name) ON DELETE CASCADE
);

-- Locks a checkpoint and tells what lies aside; no row when another process holds it. The second statement has a snapshot
-- of its own: it sees what the holder before committed.
CREATE FUNCTION es_lock_checkpoint(p_name text) RETURNS TABLE (locked_at bigint, parked text[])
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  SELECT s.position INTO locked_at FROM es_subscription AS s WHERE s.name = p_name FOR UPDATE SKIP LOCKED;
  IF locked_at IS NULL THEN
    RETURN;
  END IF;
  parked := ARRAY(SELECT p.stream FROM es_parked_stream AS p WHERE p.subscription = p_name);
  RETURN NEXT;
END $$;

-- A cache: any row may be deleted at any time.
CREATE TABLE es_snapshot (
  stream text COLLATE "C" NOT NULL,
  fold_version int NOT NULL,
  version bigint NOT NULL,
  state jsonb NOT NULL,
  CONSTRAINT es_snapshot_pkey PRIMARY KEY (stream, fold_version)
);

-- Which tables of a projection are read: those with `suffix`, folded by the code of `version`.
CREATE TABLE es_projection (
  name text NOT NULL,
  version int NOT NULL,
  suffix text NOT NULL,
  -- Each rebuild takes the next number into the names of its tables: one that was given up cannot write into the next.
  rebuilds int NOT NULL DEFAULT 0,
  switched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT es_projection_pkey PRIMARY KEY (name)
);

CREATE FUNCTION es_grant_readers_to(p_role name) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(
    'GRANT SELECT, INSERT, UPDATE, DELETE ON es_subscription, es_parked_stream, es_snapshot, es_projection TO %I',
    p_role
  );
END $$;
REVOKE ALL ON FUNCTION es_grant_readers_to(name) FROM PUBLIC;

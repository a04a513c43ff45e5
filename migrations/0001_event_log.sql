-- The event log: streams of events, unique event ids, one gap-safe total order. Postgres 15 to 18.

CREATE TABLE es_stream (
  stream text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  CONSTRAINT es_stream_pkey PRIMARY KEY (stream),
  CONSTRAINT es_stream_name_is_short CHECK (length(stream) BETWEEN 1 AND 500),
  CONSTRAINT es_stream_version_is_positive CHECK (version > 0)
) WITH (fillfactor = 70);

-- CACHE 1, the default, is required: a cached position would be drawn outside the appender's lock.
CREATE SEQUENCE es_position;

CREATE TABLE es_event (
  position bigint NOT NULL DEFAULT nextval('es_position'),
  stream text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  schema_version int NOT NULL,
  data jsonb NOT NULL,
  meta jsonb NOT NULL,
  recorded_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT es_event_pkey PRIMARY KEY (position),
  CONSTRAINT es_event_stream_version_key UNIQUE (stream, version),
  CONSTRAINT es_event_event_id_key UNIQUE (event_id),
  CONSTRAINT es_event_schema_version_is_positive CHECK (schema_version > 0)
);

ALTER SEQUENCE es_position OWNED BY es_event.position;

CREATE FUNCTION es_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the event log is append-only' USING ERRCODE = '42501';
END $$;

CREATE TRIGGER es_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON es_event
  FOR EACH STATEMENT EXECUTE FUNCTION es_append_only();
ALTER TABLE es_event ENABLE ALWAYS TRIGGER es_event_append_only;

-- What the log holds of these ids: one row a stream, in the order given. 'duplicate': every id of this stream's part is
-- in this stream; anything else is a 'conflict' with the version of now and the ids that exist in any stream.
CREATE FUNCTION es_outcomes(p_streams text[], p_counts int[], p_ids uuid[])
RETURNS TABLE (
  outcome text,
  version bigint,
  first_position bigint,
  last_position bigint,
  existing_ids uuid[]
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT
    CASE WHEN found.here = part.n THEN 'duplicate' ELSE 'conflict' END,
    CASE WHEN found.here = part.n THEN found.version ELSE coalesce(s.version, 0) END,
    found.first_position,
    found.last_position,
    coalesce(found.ids, '{}')
  FROM (
    SELECT a.stream, a.n, a.i, sum(a.n) OVER (ORDER BY a.i) AS up_to
    FROM unnest(p_streams, p_counts) WITH ORDINALITY AS a (stream, n, i)
  ) AS part
  CROSS JOIN LATERAL (
    SELECT
      count(*) FILTER (WHERE e.stream = part.stream) AS here,
      max(e.version) FILTER (WHERE e.stream = part.stream) AS version,
      min(e.position) FILTER (WHERE e.stream = part.stream) AS first_position,
      max(e.position) FILTER (WHERE e.stream = part.stream) AS last_position,
      array_agg(e.event_id ORDER BY e.position) AS ids
    FROM es_event AS e
    WHERE e.event_id = ANY (p_ids[part.up_to - part.n + 1 : part.up_to])
  ) AS found
  LEFT JOIN es_stream AS s ON s.stream = part.stream
  ORDER BY part.i
$$;

-- Appends to several streams, all or nothing. The streams come in ascending order (no deadlocks); p_events holds one
-- array a stream, of {event_id, type, schema_version, data, meta}. p_expected: NULL is any version (never a false
-- conflict), 0 must not exist, n exactly n. Answers one row a stream: 'appended' for all, or what es_outcomes says.
-- An id that exists while the versions fit raises 23505 on es_event_event_id_key: the caller then asks es_outcomes.
CREATE FUNCTION es_append(p_streams text[], p_expected bigint[], p_events jsonb)
RETURNS TABLE (
  outcome text,
  version bigint,
  first_position bigint,
  last_position bigint,
  existing_ids uuid[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  n int;
  counts int[];
  v bigint;
  versions bigint[];
BEGIN
  -- "An appender is in flight", taken before the first position is drawn: see es_high_water.
  PERFORM pg_advisory_xact_lock_shared(20260117, 1);

  FOR i IN 1 .. cardinality(p_streams) LOOP
    v := NULL;
    n := jsonb_array_length(p_events -> (i - 1));
    counts[i] := n;
    IF p_expected[i] = 0 THEN
      INSERT INTO es_stream AS s (stream, version) VALUES (p_streams[i], n)
      ON CONFLICT DO NOTHING
      RETURNING s.version INTO v;
    ELSIF p_expected[i] IS NULL THEN
      INSERT INTO es_stream AS s (stream, version) VALUES (p_streams[i], n)
      ON CONFLICT (stream) DO UPDATE SET version = s.version + n
      RETURNING s.version INTO v;
    ELSE
      UPDATE es_stream AS s SET version = s.version + n
      WHERE s.stream = p_streams[i] AND s.version = p_expected[i]
      RETURNING s.version INTO v;
    END IF;
    EXIT WHEN v IS NULL;
    versions[i] := v;
  END LOOP;

  IF v IS NULL THEN
    -- The streams before the refused one take their versions back; one that began with these events goes.
    DELETE FROM es_stream AS s
    USING unnest(p_streams, versions, counts) AS u (stream, version, n)
    WHERE s.stream = u.stream AND u.version = u.n;
    UPDATE es_stream AS s SET version = s.version - u.n
    FROM unnest(p_streams, versions, counts) AS u (stream, version, n)
    WHERE s.stream = u.stream AND u.version > u.n;
    RETURN QUERY
      SELECT o.* FROM es_outcomes(
        p_streams,
        (SELECT array_agg(jsonb_array_length(e) ORDER BY i) FROM jsonb_array_elements(p_events) WITH ORDINALITY AS a (e, i)),
        (
          SELECT array_agg((e ->> 'event_id')::uuid ORDER BY i, j)
          FROM jsonb_array_elements(p_events) WITH ORDINALITY AS a (es, i)
          CROSS JOIN LATERAL jsonb_array_elements(a.es) WITH ORDINALITY AS b (e, j)
        )
      ) AS o;
    RETURN;
  END IF;

  FOR i IN 1 .. cardinality(p_streams) LOOP
    RETURN QUERY
    WITH inserted AS (
      INSERT INTO es_event AS e (stream, version, event_id, type, schema_version, data, meta)
      SELECT p_streams[i], versions[i] - counts[i] + u.o, u.event_id, u.type, u.schema_version, u.data, u.meta
      FROM ROWS FROM (
        jsonb_to_recordset(p_events -> (i - 1))
          AS (event_id uuid, type text, schema_version int, data jsonb, meta jsonb)
      ) WITH ORDINALITY AS u (event_id, type, schema_version, data, meta, o)
      ORDER BY u.o
      RETURNING e.position
    )
    SELECT 'appended', versions[i], min(position), max(position), '{}'::uuid[] FROM inserted;
  END LOOP;
END $$;

-- Reads a stream after waiting for the appends under way on it: the second statement sees what the first waited for.
CREATE FUNCTION es_read_locked(p_stream text, p_from bigint) RETURNS SETOF es_event
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM es_stream AS s WHERE s.stream = p_stream FOR UPDATE;
  RETURN QUERY
    SELECT * FROM es_event AS e
    WHERE e.stream = p_stream AND e.version >= p_from
    ORDER BY e.version;
END $$;

-- Reads first the last position drawn, then who was appending. An appender takes its lock before it draws a position and
-- releases it after its events are visible, so `h` is final as soon as none of these `appenders` holds the lock any more.
-- To be called outside any transaction that holds an id. The second look is spared while nothing was drawn.
CREATE FUNCTION es_high_water(p_known bigint, p_waiting boolean)
RETURNS TABLE (h bigint, appenders text[])
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO h FROM es_position;
  appenders := '{}';
  IF h > p_known OR p_waiting THEN
    SELECT coalesce(array_agg(l.virtualtransaction), '{}') INTO appenders
    FROM pg_locks AS l
    WHERE l.locktype = 'advisory' AND l.classid = 20260117 AND l.objid = 1 AND l.objsubid = 2
      AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database());
  END IF;
  RETURN NEXT;
END $$;

REVOKE ALL ON es_stream, es_event FROM PUBLIC;
REVOKE ALL ON SEQUENCE es_position FROM PUBLIC;
REVOKE ALL ON FUNCTION
  es_outcomes(text[], int[], uuid[]),
  es_append(text[], bigint[], jsonb),
  es_read_locked(text, bigint),
  es_high_water(bigint, boolean)
FROM PUBLIC;

-- For a deployment whose program logs in as another role than the owner: this role reads, and appends through es_append
-- alone. It has no right to insert, change or remove an event in any other way.
CREATE FUNCTION es_grant_to(p_role name) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('GRANT SELECT ON es_stream, es_event, es_position TO %I', p_role);
  EXECUTE format(
    'GRANT EXECUTE ON FUNCTION es_outcomes(text[], int[], uuid[]), '
    'es_append(text[], bigint[], jsonb), '
    'es_read_locked(text, bigint), es_high_water(bigint, boolean) TO %I',
    p_role
  );
END $$;
REVOKE ALL ON FUNCTION es_grant_to(name) FROM PUBLIC;

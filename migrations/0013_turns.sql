-- Writers of one stream get their turns in the order they asked. A row lock does not keep that order: the row moves with
-- every version, and who waits for its old place is overtaken by who finds the new one.

-- The turn on a stream is an advisory lock, (20260118, hash of its name): Postgres grants those first come, first served,
-- and hands one over in the moment it is released. It is taken before any row and before the lock of appenders, one a
-- transaction, and kept to its end. Appends to several streams at once take none: they are bound to the order of names.

-- As in 0001, with the turn.
CREATE OR REPLACE FUNCTION es_append(p_streams text[], p_expected bigint[], p_events jsonb)
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
  -- One stream at an exact version is what a writer of a busy stream asks for: it waits behind those who came before.
  IF cardinality(p_streams) = 1 AND p_expected[1] > 0 THEN
    PERFORM pg_advisory_xact_lock(20260118, hashtext(p_streams[1]));
  END IF;

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

-- As in 0001, with the turn.
CREATE OR REPLACE FUNCTION es_read_locked(p_stream text, p_from bigint) RETURNS SETOF es_event
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(20260118, hashtext(p_stream));
  PERFORM 1 FROM es_stream AS s WHERE s.stream = p_stream FOR UPDATE;
  RETURN QUERY
    SELECT * FROM es_event AS e
    WHERE e.stream = p_stream AND e.version >= p_from
    ORDER BY e.version;
END $$;

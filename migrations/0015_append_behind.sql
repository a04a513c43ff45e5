-- An append that is sent while the one before it commits: it names the event that it follows.

-- As es_append to one stream at an exact version (p_events as there), taken only when the event at that version is p_follows and ends the hash
-- chain with p_hash (null: it is not chained). A version alone would not do: when the append before fails and a stranger writes as many events, the
-- version fits and the events do not. Nor would an id: the same event that was written by another try has another time, and so another hash.
CREATE FUNCTION es_append_behind(p_follows uuid, p_hash text, p_stream text, p_expected bigint, p_events jsonb)
RETURNS TABLE (
  outcome text,
  version bigint,
  first_position bigint,
  last_position bigint,
  existing_ids uuid[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  -- The turn on the stream, as es_append takes it: what is seen from here on stays.
  PERFORM pg_advisory_xact_lock(20260118, hashtext(p_stream));
  IF EXISTS (
    SELECT FROM es_event AS e
    WHERE e.stream = p_stream AND e.version = p_expected AND e.event_id = p_follows
      AND e.meta -> 'chain' ->> 'hash' IS NOT DISTINCT FROM p_hash
  ) THEN
    RETURN QUERY SELECT a.* FROM es_append(ARRAY[p_stream], ARRAY[p_expected], p_events) AS a;
    RETURN;
  END IF;
  RETURN QUERY
    SELECT o.* FROM es_outcomes(
      ARRAY[p_stream],
      ARRAY[jsonb_array_length(p_events -> 0)],
      (
        SELECT array_agg((e ->> 'event_id')::uuid ORDER BY i)
        FROM jsonb_array_elements(p_events -> 0) WITH ORDINALITY AS a (e, i)
      )
    ) AS o;
END $$;

REVOKE ALL ON FUNCTION es_append_behind(uuid, text, text, bigint, jsonb) FROM PUBLIC;

-- As in 0001, with es_append_behind.
CREATE OR REPLACE FUNCTION es_grant_to(p_role name) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('GRANT SELECT ON es_stream, es_event, es_position TO %I', p_role);
  EXECUTE format(
    'GRANT EXECUTE ON FUNCTION es_outcomes(text[], int[], uuid[]), '
    'es_append(text[], bigint[], jsonb), es_append_behind(uuid, text, text, bigint, jsonb), '
    'es_read_locked(text, bigint), es_high_water(bigint, boolean) TO %I',
    p_role
  );
END $$;

-- Whoever may call es_append may call this one.
DO $$
DECLARE
  role_name name;
BEGIN
  FOR role_name IN
    SELECT DISTINCT pg_get_userbyid(a.grantee)
    FROM pg_proc AS p
    CROSS JOIN LATERAL aclexplode(p.proacl) AS a
    WHERE p.oid = 'es_append(text[], bigint[], jsonb)'::regprocedure
      AND a.privilege_type = 'EXECUTE' AND a.grantee <> 0 AND a.grantee <> p.proowner
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION es_append_behind(uuid, text, text, bigint, jsonb) TO %I', role_name);
  END LOOP;
END $$;

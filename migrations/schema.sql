-- What all migrations come to, without rights. Kept by KEEP_SCHEMA=1 npm test -- test/schema.test.ts, and read in review.

CREATE TABLE account_links (
  token_sha256 bytea NOT NULL,
  account_id text NOT NULL,
  purpose text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT account_links_account FOREIGN KEY (account_id) REFERENCES account_profiles(account_id) ON DELETE CASCADE,
  CONSTRAINT account_links_pkey PRIMARY KEY (token_sha256)
);

CREATE TABLE account_notices (
  account_id text NOT NULL,
  notice text NOT NULL,
  noted_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT account_notices_account FOREIGN KEY (account_id) REFERENCES account_profiles(account_id) ON DELETE CASCADE,
  CONSTRAINT account_notices_pkey PRIMARY KEY (account_id, notice)
);

CREATE TABLE account_origins (
  account_id text NOT NULL,
  request_id text NOT NULL,
  ip text NOT NULL,
  user_agent text,
  noted_at timestamp with time zone NOT NULL,
  CONSTRAINT account_origins_account FOREIGN KEY (account_id) REFERENCES account_profiles(account_id) ON DELETE CASCADE,
  CONSTRAINT account_origins_pkey PRIMARY KEY (account_id, request_id)
);

CREATE TABLE account_profiles (
  account_id text NOT NULL,
  user_id text NOT NULL,
  mailbox_hash text NOT NULL,
  email text NOT NULL,
  name text,
  password_hash text NOT NULL,
  registered_at timestamp with time zone NOT NULL,
  suspended_at timestamp with time zone,
  mailbox_proved_at timestamp with time zone,
  secret_id text,
  password_secret_id text,
  CONSTRAINT account_profiles_mailbox UNIQUE (mailbox_hash),
  CONSTRAINT account_profiles_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_profiles_user UNIQUE (user_id)
);

CREATE TABLE account_sessions (
  token_sha256 bytea NOT NULL,
  session_id text NOT NULL,
  account_id text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  renewed_at timestamp with time zone NOT NULL,
  idle_ends_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  ip text NOT NULL,
  user_agent text,
  CONSTRAINT account_sessions_account FOREIGN KEY (account_id) REFERENCES account_profiles(account_id) ON DELETE CASCADE,
  CONSTRAINT account_sessions_id UNIQUE (session_id),
  CONSTRAINT account_sessions_pkey PRIMARY KEY (token_sha256)
);

CREATE TABLE account_settings (
  account_id text NOT NULL,
  keep_by_default boolean,
  ask_above_credits integer,
  CONSTRAINT account_settings_pkey PRIMARY KEY (account_id)
);

CREATE TABLE account_words (
  word_id text NOT NULL,
  account_id text NOT NULL,
  text text NOT NULL,
  CONSTRAINT account_words_pkey PRIMARY KEY (word_id)
);

CREATE TABLE attempt_tallies (
  bucket text NOT NULL,
  tally integer NOT NULL,
  started_at timestamp with time zone NOT NULL,
  blocked_until timestamp with time zone NOT NULL,
  CONSTRAINT attempt_tallies_pkey PRIMARY KEY (bucket)
);

CREATE TABLE audit_mismatch (
  what text NOT NULL,
  subject text NOT NULL,
  message text NOT NULL,
  found_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT audit_mismatch_pkey PRIMARY KEY (what, subject)
);

CREATE TABLE audit_state (
  is_only boolean NOT NULL DEFAULT true,
  "position" bigint NOT NULL DEFAULT 0,
  swept_position bigint NOT NULL DEFAULT 0,
  begun_at timestamp(3) with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  checked_at timestamp(3) with time zone,
  CONSTRAINT audit_state_is_only CHECK (is_only),
  CONSTRAINT audit_state_pkey PRIMARY KEY (is_only)
) WITH (fillfactor=50);

CREATE TABLE captcha_nonces (
  nonce text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT captcha_nonces_pkey PRIMARY KEY (nonce)
);

CREATE TABLE credential_version (
  only_row boolean NOT NULL DEFAULT true,
  version bigint NOT NULL,
  CONSTRAINT credential_version_has_one_row CHECK (only_row),
  CONSTRAINT credential_version_pkey PRIMARY KEY (only_row)
) WITH (fillfactor=50);

CREATE TABLE erased_accounts (
  account_id text NOT NULL,
  CONSTRAINT erased_accounts_pkey PRIMARY KEY (account_id)
);

CREATE TABLE es_event (
  "position" bigint NOT NULL DEFAULT nextval('es_position'::regclass),
  stream text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  schema_version integer NOT NULL,
  data jsonb NOT NULL,
  meta jsonb NOT NULL,
  recorded_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT es_event_event_id_key UNIQUE (event_id),
  CONSTRAINT es_event_pkey PRIMARY KEY ("position"),
  CONSTRAINT es_event_schema_version_is_positive CHECK ((schema_version > 0)),
  CONSTRAINT es_event_stream_version_key UNIQUE (stream, version)
);

CREATE TABLE es_parked_stream (
  subscription text NOT NULL,
  stream text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  "position" bigint NOT NULL,
  event_id uuid NOT NULL,
  failure text NOT NULL,
  parked_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT es_parked_stream_pkey PRIMARY KEY (subscription, stream),
  CONSTRAINT es_parked_stream_subscription_fkey FOREIGN KEY (subscription) REFERENCES es_subscription(name) ON DELETE CASCADE
);

CREATE TABLE es_projection (
  name text NOT NULL,
  version integer NOT NULL,
  suffix text NOT NULL,
  rebuilds integer NOT NULL DEFAULT 0,
  switched_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT es_projection_pkey PRIMARY KEY (name)
);

CREATE TABLE es_snapshot (
  stream text COLLATE "C" NOT NULL,
  fold_version integer NOT NULL,
  version bigint NOT NULL,
  state jsonb NOT NULL,
  CONSTRAINT es_snapshot_pkey PRIMARY KEY (stream, fold_version)
);

CREATE TABLE es_stream (
  stream text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  CONSTRAINT es_stream_name_is_short CHECK (((length(stream) >= 1) AND (length(stream) <= 500))),
  CONSTRAINT es_stream_pkey PRIMARY KEY (stream),
  CONSTRAINT es_stream_version_is_positive CHECK ((version > 0))
) WITH (fillfactor=70);

CREATE TABLE es_subscription (
  name text NOT NULL,
  "position" bigint NOT NULL DEFAULT 0,
  updated_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  failed_position bigint,
  failure text,
  failed_at timestamp with time zone,
  CONSTRAINT es_subscription_pkey PRIMARY KEY (name)
) WITH (fillfactor=50);

CREATE TABLE extraction_report (
  process_id uuid NOT NULL,
  reported_at timestamp(3) with time zone NOT NULL,
  consecutive_failures integer NOT NULL,
  last_extracted_at timestamp(3) with time zone,
  last_failure_at timestamp(3) with time zone,
  probe_ok boolean,
  probe_latency_ms double precision,
  probe_checked_at timestamp(3) with time zone,
  CONSTRAINT extraction_report_pkey PRIMARY KEY (process_id)
);

CREATE TABLE follow_subscriptions (
  follow_id text NOT NULL,
  account_id text NOT NULL,
  key_id text,
  source text NOT NULL,
  is_active boolean NOT NULL,
  interval_s integer NOT NULL,
  kinds text[] NOT NULL,
  read_to bigint NOT NULL,
  authorization_id text,
  CONSTRAINT follow_subscriptions_account_id_source_key UNIQUE (account_id, source),
  CONSTRAINT follow_subscriptions_pkey PRIMARY KEY (follow_id),
  CONSTRAINT follow_subscriptions_source_fkey FOREIGN KEY (source) REFERENCES followed_sources(source)
);

CREATE TABLE followed_sources (
  source text NOT NULL,
  id bigint NOT NULL,
  title text,
  etag text,
  last_modified text,
  is_partial boolean NOT NULL,
  interval_s integer NOT NULL,
  last_look_at timestamp with time zone NOT NULL,
  next_look_at timestamp with time zone,
  refused_since timestamp with time zone,
  refused_code text,
  CONSTRAINT followed_sources_id_key UNIQUE (id),
  CONSTRAINT followed_sources_pkey PRIMARY KEY (source)
);

CREATE TABLE followed_videos (
  source text NOT NULL,
  video_id text NOT NULL,
  number bigint NOT NULL,
  title text,
  is_short boolean NOT NULL,
  is_old boolean NOT NULL,
  CONSTRAINT followed_videos_pkey PRIMARY KEY (source, video_id),
  CONSTRAINT followed_videos_source_fkey FOREIGN KEY (source) REFERENCES followed_sources(source) ON DELETE CASCADE
);

CREATE TABLE idempotency_keys (
  account_id text NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  operation_key text NOT NULL,
  owner text NOT NULL,
  leased_until timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  status smallint,
  headers jsonb,
  body bytea,
  was_answered boolean NOT NULL DEFAULT false,
  attempts integer NOT NULL DEFAULT 1,
  secret_id text,
  CONSTRAINT idempotency_keys_answer CHECK ((((status IS NULL) = (headers IS NULL)) AND ((status IS NULL) = (body IS NULL)))),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, route, key)
);

CREATE TABLE insight_result (
  key text COLLATE "C" NOT NULL,
  result text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT insight_result_pkey PRIMARY KEY (key)
);

CREATE TABLE job_operation_result (
  item_id text COLLATE "C" NOT NULL,
  place smallint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  operation text NOT NULL,
  credits integer NOT NULL,
  charge_id text,
  result text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT job_operation_result_pkey PRIMARY KEY (item_id, place)
);

CREATE TABLE key_credentials (
  key_id text NOT NULL,
  account_id text NOT NULL,
  secret_hash text NOT NULL,
  scopes text[] NOT NULL,
  cap_credits bigint,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  cap_period text,
  warn_at smallint[],
  CONSTRAINT key_credentials_pkey PRIMARY KEY (key_id),
  CONSTRAINT key_credentials_secret_hash_unique UNIQUE (secret_hash)
);

CREATE TABLE key_sightings (
  key_id text NOT NULL,
  last_used_at timestamp with time zone NOT NULL,
  CONSTRAINT key_sightings_pkey PRIMARY KEY (key_id)
);

CREATE TABLE libraries (
  library_id integer NOT NULL,
  account_id text NOT NULL,
  videos integer NOT NULL DEFAULT 0,
  next_passage integer NOT NULL DEFAULT 0,
  CONSTRAINT libraries_account_id_key UNIQUE (account_id),
  CONSTRAINT libraries_pkey PRIMARY KEY (library_id)
);

CREATE TABLE library_languages (
  library_id integer NOT NULL,
  stems text COLLATE "C" NOT NULL,
  versions integer NOT NULL,
  passages integer NOT NULL,
  CONSTRAINT library_languages_library_fkey FOREIGN KEY (library_id) REFERENCES libraries(library_id) ON DELETE CASCADE,
  CONSTRAINT library_languages_pkey PRIMARY KEY (library_id, stems)
);

CREATE TABLE library_outbox (
  charge_id uuid NOT NULL,
  account_id text NOT NULL,
  video_id text COLLATE "C" NOT NULL,
  language text NOT NULL,
  content_sha256 text NOT NULL,
  extraction text NOT NULL,
  added_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT library_outbox_pkey PRIMARY KEY (charge_id)
);

CREATE TABLE library_postings (
  library_id integer NOT NULL,
  start integer NOT NULL,
  term text COLLATE "C" NOT NULL,
  block bytea NOT NULL,
  CONSTRAINT library_postings_pkey PRIMARY KEY (library_id, start, term)
) WITH (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500);

CREATE TABLE library_runs (
  library_id integer NOT NULL,
  start integer NOT NULL,
  level smallint NOT NULL,
  merged_into integer,
  CONSTRAINT library_runs_library_fkey FOREIGN KEY (library_id) REFERENCES libraries(library_id) ON DELETE CASCADE,
  CONSTRAINT library_runs_pkey PRIMARY KEY (library_id, start)
);

CREATE TABLE library_tails (
  library_id integer NOT NULL,
  term text COLLATE "C" NOT NULL,
  start integer NOT NULL,
  postings bytea NOT NULL,
  base integer NOT NULL,
  CONSTRAINT library_tails_pkey PRIMARY KEY (library_id, term, start, base)
) WITH (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500);

CREATE TABLE library_terms (
  library_id integer NOT NULL,
  term text COLLATE "C" NOT NULL,
  grams integer[] NOT NULL,
  CONSTRAINT library_terms_pkey PRIMARY KEY (library_id, term)
);

CREATE TABLE library_vectors (
  library_id integer NOT NULL,
  passage integer NOT NULL,
  model text NOT NULL,
  vector real[] NOT NULL,
  CONSTRAINT library_vectors_pkey PRIMARY KEY (library_id, passage)
);

CREATE TABLE library_versions (
  library_id integer NOT NULL,
  video_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  language text NOT NULL,
  source text NOT NULL,
  content_sha256 text NOT NULL,
  first_seen_at timestamp(3) with time zone NOT NULL,
  captions bytea NOT NULL,
  times integer[] NOT NULL,
  stems text COLLATE "C" NOT NULL,
  first_passage integer,
  passages integer[] NOT NULL,
  terms text[],
  CONSTRAINT library_versions_pkey PRIMARY KEY (library_id, video_id, version),
  CONSTRAINT library_versions_video_fkey FOREIGN KEY (library_id, video_id) REFERENCES library_videos(library_id, video_id) ON DELETE CASCADE
);

CREATE TABLE library_videos (
  library_id integer NOT NULL,
  video_id text COLLATE "C" NOT NULL,
  title text,
  channel text,
  channel_id text,
  duration_s integer,
  kept_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT library_videos_library_fkey FOREIGN KEY (library_id) REFERENCES libraries(library_id) ON DELETE CASCADE,
  CONSTRAINT library_videos_pkey PRIMARY KEY (library_id, video_id)
);

CREATE TABLE oauth_authorizations (
  authorization_id text NOT NULL,
  account_id text NOT NULL,
  client_id text NOT NULL,
  client_name text NOT NULL,
  scopes text[] NOT NULL,
  credits_per_day bigint NOT NULL,
  credits_total bigint NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT oauth_authorizations_pkey PRIMARY KEY (authorization_id)
);

CREATE TABLE oauth_state (
  kind text NOT NULL,
  id_hash text NOT NULL,
  uid text,
  authorization_id text,
  account_id text,
  payload jsonb NOT NULL,
  consumed_at timestamp with time zone,
  expires_at timestamp with time zone,
  CONSTRAINT oauth_state_pkey PRIMARY KEY (kind, id_hash)
);

CREATE TABLE paid_captions (
  reader text NOT NULL,
  video_id text NOT NULL,
  content_sha256 text NOT NULL,
  language text NOT NULL,
  paid_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT paid_captions_pkey PRIMARY KEY (reader, video_id, content_sha256)
);

CREATE TABLE platform_caption (
  video_id text COLLATE "C" NOT NULL,
  track_id text COLLATE "C" NOT NULL,
  content_sha256 text COLLATE "C" NOT NULL,
  fetched_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT platform_caption_content_fkey FOREIGN KEY (content_sha256) REFERENCES platform_caption_content(content_sha256),
  CONSTRAINT platform_caption_pkey PRIMARY KEY (video_id, track_id)
);

CREATE TABLE platform_caption_content (
  content_sha256 text COLLATE "C" NOT NULL,
  segments text NOT NULL,
  used_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT platform_caption_content_pkey PRIMARY KEY (content_sha256)
);

CREATE TABLE platform_refusal (
  video_id text COLLATE "C" NOT NULL,
  track_id text COLLATE "C" NOT NULL,
  failure json NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT platform_refusal_pkey PRIMARY KEY (video_id, track_id)
);

CREATE TABLE platform_video (
  video_id text COLLATE "C" NOT NULL,
  video json NOT NULL,
  tracks json NOT NULL,
  default_track_id text,
  fetched_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT platform_video_pkey PRIMARY KEY (video_id)
);

CREATE TABLE processes (
  process_id text NOT NULL,
  role text NOT NULL,
  host text NOT NULL,
  os_pid integer NOT NULL,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  beat_at timestamp with time zone NOT NULL DEFAULT now(),
  secret_ids text[],
  CONSTRAINT processes_pkey PRIMARY KEY (process_id),
  CONSTRAINT processes_role_known CHECK ((role = ANY (ARRAY['all'::text, 'api'::text, 'worker'::text])))
);

CREATE TABLE receipt_keys (
  kid text NOT NULL,
  jwk jsonb NOT NULL,
  first_used_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT receipt_keys_pkey PRIMARY KEY (kid)
);

CREATE TABLE response_hour (
  hour timestamp(0) with time zone NOT NULL,
  process_id uuid NOT NULL,
  total integer NOT NULL,
  failed integer NOT NULL,
  CONSTRAINT response_hour_pkey PRIMARY KEY (hour, process_id)
);

CREATE TABLE response_minute (
  minute timestamp(0) with time zone NOT NULL,
  process_id uuid NOT NULL,
  total integer NOT NULL,
  failed integer NOT NULL,
  durations jsonb NOT NULL,
  CONSTRAINT response_minute_pkey PRIMARY KEY (minute, process_id)
);

CREATE TABLE schema_migrations (
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE secret_fingerprint (
  is_only boolean NOT NULL DEFAULT true,
  fingerprint text NOT NULL,
  previous text,
  retired text,
  begun_at timestamp with time zone,
  unmarked_id text,
  CONSTRAINT secret_fingerprint_is_only CHECK (is_only),
  CONSTRAINT secret_fingerprint_pkey PRIMARY KEY (is_only)
);

CREATE TABLE status_day (
  day date NOT NULL,
  checks integer NOT NULL,
  degraded integer NOT NULL,
  outage integer NOT NULL,
  CONSTRAINT status_day_pkey PRIMARY KEY (day)
);

CREATE TABLE status_incident (
  alert text COLLATE "C" NOT NULL,
  started_at timestamp(3) with time zone NOT NULL,
  last_seen_at timestamp(3) with time zone NOT NULL,
  summary text NOT NULL,
  CONSTRAINT status_incident_pkey PRIMARY KEY (alert, started_at)
);

CREATE TABLE status_note (
  note_id text COLLATE "C" NOT NULL,
  text text NOT NULL,
  severity text NOT NULL,
  component text,
  started_at timestamp(3) with time zone NOT NULL,
  ends_at timestamp(3) with time zone,
  CONSTRAINT status_note_pkey PRIMARY KEY (note_id)
);

CREATE TABLE tlog_bundle (
  index bigint NOT NULL,
  first_position bigint NOT NULL,
  positions bigint[] NOT NULL,
  entries bytea NOT NULL,
  CONSTRAINT tlog_bundle_first_position UNIQUE (first_position),
  CONSTRAINT tlog_bundle_pkey PRIMARY KEY (index)
);

CREATE TABLE tlog_head (
  is_only boolean NOT NULL DEFAULT true,
  origin text NOT NULL,
  size bigint NOT NULL,
  "position" bigint NOT NULL,
  checkpoint text NOT NULL,
  signed_at timestamp with time zone NOT NULL,
  CONSTRAINT tlog_head_is_only CHECK (is_only),
  CONSTRAINT tlog_head_pkey PRIMARY KEY (is_only)
) WITH (fillfactor=50);

CREATE TABLE tlog_key (
  vkey text NOT NULL,
  first_used timestamp with time zone NOT NULL,
  CONSTRAINT tlog_key_pkey PRIMARY KEY (vkey)
);

CREATE TABLE tlog_salt (
  account_id text NOT NULL,
  salt bytea NOT NULL,
  CONSTRAINT tlog_salt_pkey PRIMARY KEY (account_id)
);

CREATE TABLE tlog_tile (
  level smallint NOT NULL,
  index bigint NOT NULL,
  hashes bytea NOT NULL,
  CONSTRAINT tlog_tile_pkey PRIMARY KEY (level, index)
);

CREATE TABLE tlog_witnessed (
  origin text NOT NULL,
  url text NOT NULL,
  vkeys text[] NOT NULL,
  size bigint NOT NULL,
  root bytea NOT NULL,
  checkpoint text NOT NULL,
  cosigned_at timestamp with time zone NOT NULL,
  CONSTRAINT tlog_witnessed_pkey PRIMARY KEY (origin)
);

CREATE TABLE verification (
  is_newest boolean NOT NULL DEFAULT true,
  verified_at timestamp(3) with time zone NOT NULL,
  events bigint NOT NULL,
  problems integer NOT NULL,
  CONSTRAINT verification_is_newest CHECK (is_newest),
  CONSTRAINT verification_pkey PRIMARY KEY (is_newest)
);

CREATE TABLE webhook_secrets (
  owner_id text NOT NULL,
  generation integer NOT NULL,
  account_id text NOT NULL,
  sealed bytea NOT NULL,
  secret_id text NOT NULL,
  CONSTRAINT webhook_secrets_account FOREIGN KEY (account_id) REFERENCES account_profiles(account_id) ON DELETE CASCADE,
  CONSTRAINT webhook_secrets_pkey PRIMARY KEY (owner_id, generation)
);

CREATE TABLE worker_pools (
  pool_id text NOT NULL,
  tasks text[] NOT NULL,
  host text NOT NULL,
  os_pid integer NOT NULL,
  beat_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT worker_pools_pkey PRIMARY KEY (pool_id)
);

CREATE TABLE write_probe (
  is_newest boolean NOT NULL DEFAULT true,
  written_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT write_probe_is_newest CHECK (is_newest),
  CONSTRAINT write_probe_pkey PRIMARY KEY (is_newest)
);

CREATE SEQUENCE es_position AS bigint CACHE 1;

CREATE SEQUENCE followed_sources_id_seq AS bigint CACHE 1;

CREATE SEQUENCE followed_videos_number_seq AS bigint CACHE 1;

CREATE SEQUENCE libraries_library_id_seq AS integer CACHE 1;

CREATE INDEX account_links_end ON public.account_links USING btree (expires_at);

CREATE INDEX account_links_of ON public.account_links USING btree (account_id, purpose);

CREATE INDEX account_origins_noted ON public.account_origins USING btree (noted_at);

CREATE INDEX account_sessions_end ON public.account_sessions USING btree (LEAST(idle_ends_at, ends_at));

CREATE INDEX account_sessions_of ON public.account_sessions USING btree (account_id);

CREATE INDEX account_words_of ON public.account_words USING btree (account_id);

CREATE INDEX attempt_tallies_age ON public.attempt_tallies USING btree (GREATEST(started_at, blocked_until));

CREATE INDEX captcha_nonces_expiry ON public.captcha_nonces USING btree (expires_at);

CREATE INDEX follow_subscriptions_authorization_id_idx ON public.follow_subscriptions USING btree (authorization_id) WHERE (authorization_id IS NOT NULL);

CREATE INDEX follow_subscriptions_key_id_idx ON public.follow_subscriptions USING btree (key_id) WHERE (key_id IS NOT NULL);

CREATE INDEX follow_subscriptions_source_interval_s_idx ON public.follow_subscriptions USING btree (source, interval_s) WHERE is_active;

CREATE INDEX follow_subscriptions_source_read_to_idx ON public.follow_subscriptions USING btree (source, read_to) WHERE is_active;

CREATE INDEX followed_sources_next_look_at_idx ON public.followed_sources USING btree (next_look_at) WHERE (next_look_at IS NOT NULL);

CREATE INDEX followed_videos_source_number_idx ON public.followed_videos USING btree (source, number) WHERE (NOT is_old);

CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING btree (expires_at);

CREATE INDEX idempotency_keys_running ON public.idempotency_keys USING btree (owner) WHERE ((status IS NULL) AND (owner <> ''::text));

CREATE INDEX insight_result_created_at_idx ON public.insight_result USING btree (created_at);

CREATE INDEX job_operation_result_account_id_idx ON public.job_operation_result USING btree (account_id);

CREATE INDEX job_operation_result_created_at_idx ON public.job_operation_result USING btree (created_at);

CREATE INDEX key_credentials_account_id ON public.key_credentials USING btree (account_id);

CREATE INDEX library_outbox_age_idx ON public.library_outbox USING btree (added_at);

CREATE INDEX library_outbox_video_idx ON public.library_outbox USING btree (account_id, video_id);

CREATE INDEX library_runs_merged_into_idx ON public.library_runs USING btree (library_id, merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX library_tails_start_idx ON public.library_tails USING btree (library_id, start);

CREATE INDEX library_terms_grams_idx ON public.library_terms USING gin (grams) WITH (fastupdate=off);

CREATE INDEX library_versions_passage_idx ON public.library_versions USING btree (library_id, first_passage) WHERE (first_passage IS NOT NULL);

CREATE INDEX library_videos_kept_at_idx ON public.library_videos USING btree (library_id, kept_at, video_id);

CREATE INDEX oauth_authorizations_account ON public.oauth_authorizations USING btree (account_id, created_at);

CREATE INDEX oauth_state_account ON public.oauth_state USING btree (account_id) WHERE (account_id IS NOT NULL);

CREATE INDEX oauth_state_authorization ON public.oauth_state USING btree (authorization_id) WHERE (authorization_id IS NOT NULL);

CREATE INDEX oauth_state_expires ON public.oauth_state USING btree (expires_at);

CREATE INDEX oauth_state_uid ON public.oauth_state USING btree (uid) WHERE (uid IS NOT NULL);

CREATE INDEX paid_captions_age ON public.paid_captions USING btree (paid_at);

CREATE INDEX platform_caption_content_sha256_idx ON public.platform_caption USING btree (content_sha256);

CREATE INDEX platform_caption_content_used_at_idx ON public.platform_caption_content USING btree (used_at);

CREATE INDEX platform_caption_fetched_at_idx ON public.platform_caption USING btree (fetched_at);

CREATE INDEX platform_refusal_expires_at_idx ON public.platform_refusal USING btree (expires_at);

CREATE INDEX platform_video_fetched_at_idx ON public.platform_video USING btree (fetched_at);

CREATE INDEX webhook_secrets_of ON public.webhook_secrets USING btree (account_id);

CREATE OR REPLACE FUNCTION public.credential_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  UPDATE credential_version SET version = version + 1;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.es_append(p_streams text[], p_expected bigint[], p_events jsonb)
 RETURNS TABLE(outcome text, version bigint, first_position bigint, last_position bigint, existing_ids uuid[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  total int := cardinality(p_streams);
  n int;
  counts int[];
  v bigint;
  versions bigint[];
  moved text[];
BEGIN
  -- One stream at an exact version is what a writer of a busy stream asks for: it waits behind those who came before.
  IF total = 1 AND p_expected[1] > 0 THEN
    PERFORM pg_advisory_xact_lock(20260118, hashtext(p_streams[1]));
  END IF;

  -- "An appender is in flight", taken before the first position is drawn: see es_high_water.
  PERFORM pg_advisory_xact_lock_shared(20260117, 1);

  -- Many streams that exist, each once.
  IF total >= 8 AND NOT EXISTS (
    SELECT FROM unnest(p_streams, p_expected) AS u (stream, expected)
    GROUP BY u.stream
    HAVING count(*) > 1 OR coalesce(min(u.expected), 0) = 0
  ) THEN
    counts := ARRAY(SELECT jsonb_array_length(events) FROM jsonb_array_elements(p_events) WITH ORDINALITY AS a (events, i) ORDER BY i);
    SELECT array_agg(m.stream), array_agg(m.version ORDER BY array_position(p_streams, m.stream)) INTO moved, versions
    FROM es_move_streams(p_streams, p_expected, counts) AS m;
    IF coalesce(cardinality(moved), 0) < total THEN
      UPDATE es_stream AS s SET version = s.version - u.n
      FROM unnest(p_streams, counts) AS u (stream, n)
      WHERE s.stream = u.stream AND u.stream = ANY (moved);
      RETURN QUERY SELECT o.* FROM es_outcomes_of(p_streams, p_events) AS o;
      RETURN;
    END IF;
    RETURN QUERY
      WITH inserted AS (
        INSERT INTO es_event AS e (stream, version, event_id, type, schema_version, data, meta)
        SELECT p_streams[a.i], versions[a.i] - counts[a.i] + u.o, u.event_id, u.type, u.schema_version, u.data, u.meta
        FROM jsonb_array_elements(p_events) WITH ORDINALITY AS a (events, i)
        CROSS JOIN LATERAL ROWS FROM (
          jsonb_to_recordset(a.events)
            AS (event_id uuid, type text, schema_version int, data jsonb, meta jsonb)
        ) WITH ORDINALITY AS u (event_id, type, schema_version, data, meta, o)
        ORDER BY a.i, u.o
        RETURNING e.stream, e.version, e.position
      )
      SELECT 'appended', max(e.version), min(e.position), max(e.position), '{}'::uuid[]
      FROM inserted AS e
      GROUP BY e.stream
      ORDER BY array_position(p_streams, e.stream);
    RETURN;
  END IF;

  FOR i IN 1 .. total LOOP
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
    RETURN QUERY SELECT o.* FROM es_outcomes_of(p_streams, p_events) AS o;
    RETURN;
  END IF;

  FOR i IN 1 .. total LOOP
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
END $function$;

CREATE OR REPLACE FUNCTION public.es_append_behind(p_follows uuid, p_hash text, p_stream text, p_expected bigint, p_events jsonb)
 RETURNS TABLE(outcome text, version bigint, first_position bigint, last_position bigint, existing_ids uuid[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.es_append_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'the event log is append-only' USING ERRCODE = '42501';
END $function$;

CREATE OR REPLACE FUNCTION public.es_grant_readers_to(p_role name)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  EXECUTE format(
    'GRANT SELECT, INSERT, UPDATE, DELETE ON es_subscription, es_parked_stream, es_snapshot, es_projection TO %I',
    p_role
  );
END $function$;

CREATE OR REPLACE FUNCTION public.es_grant_to(p_role name)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  EXECUTE format('GRANT SELECT ON es_stream, es_event, es_position TO %I', p_role);
  EXECUTE format(
    'GRANT EXECUTE ON FUNCTION es_outcomes(text[], int[], uuid[]), '
    'es_append(text[], bigint[], jsonb), es_append_behind(uuid, text, text, bigint, jsonb), '
    'es_read_locked(text, bigint), es_high_water(bigint, boolean) TO %I',
    p_role
  );
END $function$;

CREATE OR REPLACE FUNCTION public.es_high_water(p_known bigint, p_waiting boolean)
 RETURNS TABLE(h bigint, appenders text[])
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.es_lock_checkpoint(p_name text)
 RETURNS TABLE(locked_at bigint, parked text[])
 LANGUAGE plpgsql
AS $function$
BEGIN
  SELECT s.position INTO locked_at FROM es_subscription AS s WHERE s.name = p_name FOR UPDATE SKIP LOCKED;
  IF locked_at IS NULL THEN
    RETURN;
  END IF;
  parked := ARRAY(SELECT p.stream FROM es_parked_stream AS p WHERE p.subscription = p_name);
  RETURN NEXT;
END $function$;

CREATE OR REPLACE FUNCTION public.es_move_streams(p_streams text[], p_expected bigint[], p_counts integer[])
 RETURNS TABLE(stream text, version bigint)
 LANGUAGE sql
 SET search_path TO 'public', 'pg_temp'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  UPDATE es_stream AS s SET version = s.version + u.n
  FROM unnest(p_streams, p_expected, p_counts) AS u (stream, expected, n)
  WHERE s.stream = u.stream AND s.version = u.expected
  RETURNING s.stream, s.version
$function$;

CREATE OR REPLACE FUNCTION public.es_outcomes(p_streams text[], p_counts integer[], p_ids uuid[])
 RETURNS TABLE(outcome text, version bigint, first_position bigint, last_position bigint, existing_ids uuid[])
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.es_outcomes_of(p_streams text[], p_events jsonb)
 RETURNS TABLE(outcome text, version bigint, first_position bigint, last_position bigint, existing_ids uuid[])
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
  SELECT o.* FROM es_outcomes(
    p_streams,
    ARRAY(SELECT jsonb_array_length(events) FROM jsonb_array_elements(p_events) WITH ORDINALITY AS a (events, i) ORDER BY i),
    ARRAY(
      SELECT (e ->> 'event_id')::uuid
      FROM jsonb_array_elements(p_events) WITH ORDINALITY AS a (events, i)
      CROSS JOIN LATERAL jsonb_array_elements(a.events) WITH ORDINALITY AS b (e, j)
      ORDER BY i, j
    )
  ) AS o
$function$;

CREATE OR REPLACE FUNCTION public.es_read_locked(p_stream text, p_from bigint)
 RETURNS SETOF es_event
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM pg_advisory_xact_lock(20260118, hashtext(p_stream));
  PERFORM 1 FROM es_stream AS s WHERE s.stream = p_stream FOR UPDATE;
  RETURN QUERY
    SELECT * FROM es_event AS e
    WHERE e.stream = p_stream AND e.version >= p_from
    ORDER BY e.version;
END $function$;

CREATE OR REPLACE FUNCTION public.typed_text(p_kept text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  SELECT CASE
    WHEN p_kept LIKE 'wrd\_%' THEN (SELECT w.text FROM account_words AS w WHERE w.word_id = p_kept)
    ELSE p_kept
  END
$function$;

CREATE TRIGGER account_profiles_suspended AFTER UPDATE OF suspended_at ON public.account_profiles FOR EACH STATEMENT EXECUTE FUNCTION credential_changed();

CREATE TRIGGER account_settings_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.account_settings FOR EACH STATEMENT EXECUTE FUNCTION credential_changed();

CREATE TRIGGER es_event_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.es_event FOR EACH STATEMENT EXECUTE FUNCTION es_append_only();
ALTER TABLE es_event ENABLE ALWAYS TRIGGER es_event_append_only;

CREATE TRIGGER key_credentials_changed AFTER DELETE OR UPDATE OR TRUNCATE ON public.key_credentials FOR EACH STATEMENT EXECUTE FUNCTION credential_changed();

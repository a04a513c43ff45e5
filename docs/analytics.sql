-- The views of the schema `analytics` over an export, for DuckDB: duckdb -init docs/analytics.sql
-- Reads ledger*.parquet of this folder (`steno ledger export --format parquet`, or GET /v1/ledger/export?format=parquet).
CREATE SCHEMA analytics;

CREATE VIEW analytics.entries_v1 AS
SELECT
  event_id,
  data ->> 'accountId' AS account_id,
  type, stream, version, position,
  CAST(occurred_at AS timestamp) AS occurred_at,
  request_id,
  schema_version, data, prev_hash, hash
FROM 'ledger*.parquet';

CREATE VIEW analytics.postings_v1 AS
SELECT
  entry.event_id, entry.account_id, entry.type, entry.stream, entry.position, entry.occurred_at,
  posting.bucket, posting.sign * (entry.data ->> 'amount')::bigint AS amount
FROM analytics.entries_v1 AS entry
JOIN (
  VALUES
    ('CreditsGranted', 'issuer', -1), ('CreditsGranted', 'available', 1),
    ('BalanceCorrected', 'issuer', -1), ('BalanceCorrected', 'available', 1),
    ('CreditsCharged', 'available', -1), ('CreditsCharged', 'spent', 1),
    ('CreditsReserved', 'available', -1), ('CreditsReserved', 'reserved', 1),
    ('ReservationSettled', 'reserved', -1), ('ReservationSettled', 'spent', 1),
    ('ReservationReleased', 'reserved', -1), ('ReservationReleased', 'available', 1),
    ('ChargeRefunded', 'spent', -1), ('ChargeRefunded', 'available', 1),
    ('CreditsExpired', 'available', -1), ('CreditsExpired', 'expired', 1)
) AS posting (type, bucket, sign) ON posting.type = entry.type;

CREATE VIEW analytics.charges_v1 AS
SELECT
  event_id, account_id, stream, position, occurred_at, request_id,
  data ->> 'chargeId' AS charge_id,
  data ->> 'jobId' AS job_id,
  data ->> 'keyId' AS key_id,
  data ->> 'authorizationId' AS authorization_id,
  data ->> 'costTag' AS cost_tag,
  data ->> 'operation' AS operation,
  data ->> 'videoId' AS video_id,
  data ->> 'contentSha256' AS content_sha256,
  data ->> 'priceBook' AS price_book,
  data ->> 'model' AS model,
  (data ->> 'inputTokens')::bigint AS input_tokens,
  (data ->> 'outputTokens')::bigint AS output_tokens,
  CASE type WHEN 'CreditsCharged' THEN (data ->> 'requests')::bigint ELSE 1 END AS requests,
  (data ->> 'amount')::bigint AS credits
FROM analytics.entries_v1
WHERE type IN ('CreditsCharged', 'ReservationSettled');

CREATE VIEW analytics.refunds_v1 AS
SELECT
  event_id, account_id, stream, position, occurred_at,
  data ->> 'chargeId' AS charge_id,
  data ->> 'keyId' AS key_id,
  data ->> 'costTag' AS cost_tag,
  data ->> 'operation' AS operation,
  (data ->> 'amount')::bigint AS credits
FROM analytics.entries_v1
WHERE type = 'ChargeRefunded';

CREATE VIEW analytics.grants_v1 AS
SELECT
  event_id, account_id, stream, position, occurred_at,
  data ->> 'grantId' AS grant_id,
  data ->> 'kind' AS kind,
  data ->> 'expiresAt' AS expires_at,
  (data ->> 'amount')::bigint AS credits
FROM analytics.entries_v1
WHERE type = 'CreditsGranted';

CREATE VIEW analytics.reservations_v1 AS
SELECT
  event_id, account_id, stream, position, occurred_at,
  data ->> 'reservationId' AS reservation_id,
  data ->> 'jobId' AS job_id,
  CASE type WHEN 'CreditsReserved' THEN 'reserved' WHEN 'ReservationSettled' THEN 'settled' ELSE 'released' END AS what,
  (data ->> 'amount')::bigint AS credits
FROM analytics.entries_v1
WHERE type IN ('CreditsReserved', 'ReservationSettled', 'ReservationReleased');

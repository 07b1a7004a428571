WITH
  "moved" AS (
    UPDATE verification_sessions s
    SET
      evidence_seconds = s.evidence_seconds,
      state = $1,
      seq = s.seq + 1,
      error_message = $2,
      ended_at = $3,
      secrets = NULL,
      x5c = NULL,
      verifier_attestation = NULL,
      transaction_data = NULL,
      result = CASE
        WHEN s.claims_erased_at IS NULL THEN $4::json
      END,
      discarded = CASE
        WHEN s.claims_erased_at IS NULL THEN ($5::json)::json
      END,
      checks = $6::json,
      response_code_hash = $7
    WHERE
      id = $8
      AND state = ANY ($9::TEXT[])
    RETURNING
      id,
      seq,
      state,
      error_message,
      first_view,
      created_by,
      ended_at,
      claims_erased_at
  ),
  "transitions" AS (
    SELECT
      id,
      seq,
      changes,
      first_view || changes AS data
    FROM
      (
        SELECT
          id,
          seq,
          first_view,
          jsonb_strip_nulls(
            jsonb_build_object('state', state, 'errorMessage', error_message)
          ) AS changes
        FROM
          "moved"
      ) AS moved_on
  ),
  "recorded_events" AS (
    INSERT INTO
      session_events (session_id, seq, changes, at)
    SELECT
      id,
      seq,
      changes,
      $10
    FROM
      "transitions"
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $11,
      $12,
      $13,
      "moved"."id"
    FROM
      "moved"
  ),
  "stored" AS (
    SELECT
      id,
      created_by,
      ended_at
    FROM
      "moved"
    WHERE
      claims_erased_at IS NULL
  ),
  "evidence_kept" AS (
    INSERT INTO
      verification_evidence (id, created_by, evidence, created_at, expires_at)
    SELECT
      id,
      created_by,
      $14::json,
      ended_at,
      $15::timestamptz
    FROM
      "stored"
  )
SELECT
  t.id,
  t.seq,
  t.data,
  p.id AS "pageId"
FROM
  "transitions" t
  LEFT JOIN pages p ON p.verification_session_id = t.id
  AND NOT p.on_demand

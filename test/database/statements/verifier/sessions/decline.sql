WITH
  "moved" AS (
    UPDATE verification_sessions s
    SET
      evidence_seconds = NULL,
      state = $1,
      seq = s.seq + 1,
      error_message = $2,
      ended_at = $3,
      secrets = NULL,
      x5c = NULL,
      verifier_attestation = NULL,
      transaction_data = NULL,
      checks = '[]'::json,
      response_code_hash = $4
    FROM
      pages p
    WHERE
      p.id = $5
      AND p.browser_hash = $6
      AND s.id = p.verification_session_id
      AND s.state = ANY ($7::TEXT[])
      AND s.expires_at > $8
    RETURNING
      s.id,
      s.seq,
      s.state,
      s.error_message,
      s.first_view
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
      $9
    FROM
      "transitions"
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $10,
      $11,
      $12,
      "moved"."id"
    FROM
      "moved"
  )
SELECT
  t.id,
  t.seq,
  t.data,
  s.redirect_uri AS "redirectUri"
FROM
  "transitions" t
  JOIN verification_sessions s ON s.id = t.id

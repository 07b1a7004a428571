WITH
  "token" AS (
    SELECT
      credential_id,
      credential_id IS NOT NULL AS counted,
      generation
    FROM
      issuance_tokens
    WHERE
      token_hash = $1
      AND expires_at > $2
      AND expires_at <= $3
      AND issued_count + $4 <= $5
      AND TRUE
    FOR UPDATE
  ),
  "session" AS (
    SELECT
      $6::text AS id
  ),
  "waiting" AS (
    SELECT
      1 AS waits
  ),
  "current" AS (
    SELECT
      "session"."id"
    FROM
      "token",
      "session"
    WHERE
      "token"."credential_id" IS NOT DISTINCT FROM $7::text
      AND "token"."counted" = $8
  ),
  "nonces" AS (
    INSERT INTO
      used_nonces (hash, expires_at)
    SELECT
      n.hash,
      n.expires_at
    FROM
      "current",
      unnest($9::TEXT[], $10::TIMESTAMPTZ[]) AS n (hash, expires_at)
    ON CONFLICT DO NOTHING
    RETURNING
      hash
  ),
  "fresh" AS (
    SELECT
      id
    FROM
      "current"
    WHERE
      (
        SELECT
          count(*)
        FROM
          "nonces"
      ) = $11
      AND EXISTS (
        SELECT
          1
        FROM
          "waiting"
      )
  ),
  "admitted" AS (
    SELECT
      id
    FROM
      credentials
    WHERE
      id = $12
      AND revoked_at IS NULL
      AND suspended_at IS NULL
      AND claims_erased_at IS NULL
      AND EXISTS (
        SELECT
          1
        FROM
          "fresh"
      )
    FOR NO KEY UPDATE
  ),
  "transitions" AS (
    SELECT
      NULL::text AS id,
      0 AS seq,
      NULL::jsonb AS data
    WHERE
      FALSE
  ),
  "target" AS (
    SELECT
      c.id
    FROM
      credentials c
      JOIN "admitted" ON c.id = "admitted"."id"
  ),
  "spent" AS (
    UPDATE issuance_tokens
    SET
      credential_id = "target"."id",
      issued_count = issued_count + $13
    FROM
      "target"
    WHERE
      token_hash = $14
      AND expires_at > $15
      AND expires_at <= $16
  ),
  "instances" AS (
    INSERT INTO
      credential_instances (
        status_list_id,
        status_index,
        credential_id,
        configuration_id,
        format,
        generation
      )
    SELECT
      n.value ->> 0,
      (n.value ->> 1)::int,
      "target"."id",
      n.value ->> 2,
      n.value ->> 3,
      $17::int
    FROM
      "target",
      jsonb_array_elements($18::jsonb) AS n (value)
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $19,
      $20,
      $21,
      "target"."id"
    FROM
      "target"
  )
SELECT
  EXISTS (
    SELECT
      1
    FROM
      "token"
  ) AS takeable,
  (
    SELECT
      credential_id
    FROM
      "token"
  ) AS "earlierId",
  (
    SELECT
      counted
    FROM
      "token"
  ) AS counted,
  (
    SELECT
      generation
    FROM
      "token"
  ) AS generation,
  EXISTS (
    SELECT
      1
    FROM
      "session"
  ) AS open,
  EXISTS (
    SELECT
      1
    FROM
      "waiting"
  ) AS waiting,
  (
    SELECT
      count(*)
    FROM
      "nonces"
  )::int AS nonces,
  EXISTS (
    SELECT
      1
    FROM
      "admitted"
  ) AS admitted,
  (
    SELECT
      jsonb_agg(
        jsonb_build_object('id', id, 'seq', seq, 'data', data)
      )
    FROM
      "transitions"
  ) AS recorded

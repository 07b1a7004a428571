WITH
  "session" AS (
    SELECT
      $1::text AS id
  ),
  "open" AS (
    SELECT
      o.id
    FROM
      offerings o
      JOIN "session" ON "session"."id" = o.id
    WHERE
      (
        o.claims_erased_at IS NULL
        AND (
          o.redemption_limit IS NULL
          OR o.redemption_count < o.redemption_limit
        )
        AND (
          o.expires_at IS NULL
          OR o.expires_at > $2
        )
      )
  ),
  "once" AS (
    INSERT INTO
      used_nonces (hash, expires_at)
    SELECT
      u.hash,
      u.expires_at
    FROM
      unnest($3::TEXT[], $4::TIMESTAMPTZ[]) AS u (hash, expires_at)
    WHERE
      EXISTS (
        SELECT
          1
        FROM
          "open"
      )
    ON CONFLICT DO NOTHING
    RETURNING
      hash
  ),
  "ready" AS (
    SELECT
      id
    FROM
      "open"
    WHERE
      (
        SELECT
          count(*)
        FROM
          "once"
      ) = $5
  ),
  "claimed" AS (
    SELECT
      NULL::text AS id
  ),
  "code" AS (
    INSERT INTO
      used_nonces (hash, expires_at)
    SELECT
      $6,
      $7
    FROM
      "ready"
    ON CONFLICT DO NOTHING
    RETURNING
      1 AS used
  ),
  "token" AS (
    INSERT INTO
      issuance_tokens (
        token_hash,
        offering_id,
        configuration_ids,
        scope,
        dpop_jkt,
        expires_at,
        link_number,
        generation,
        authorization_id,
        wallet_statuses
      )
    SELECT
      $8,
      "ready"."id",
      $9::TEXT[],
      $10::TEXT[],
      $11,
      $12,
      $13::int,
      0,
      "claimed"."id",
      $14::json
    FROM
      "ready",
      "claimed",
      "code"
    RETURNING
      authorization_id
  ),
  "transitions" AS (
    SELECT
      NULL::text AS id,
      0 AS seq,
      NULL::jsonb AS data
    WHERE
      FALSE
  )
SELECT
  EXISTS (
    SELECT
      1
    FROM
      "token"
  ) AS stored,
  EXISTS (
    SELECT
      1
    FROM
      "open"
  ) AS open,
  (
    SELECT
      count(*)
    FROM
      "once"
  ) = $15 AS fresh,
  (
    SELECT
      jsonb_agg(
        jsonb_build_object('id', id, 'seq', seq, 'data', data)
      )
    FROM
      "transitions"
  ) AS recorded

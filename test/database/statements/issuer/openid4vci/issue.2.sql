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
  "counted" AS (
    UPDATE offerings
    SET
      redemption_count = redemption_count + 1,
      claims_due_at = CASE
        WHEN redemption_count + 1 < redemption_limit THEN claims_due_at
        ELSE $12::timestamptz
      END
    WHERE
      redemption_count < redemption_limit
      AND id = $13
      AND claims_erased_at IS NULL
      AND (
        expires_at IS NULL
        OR expires_at > $14
      )
      AND EXISTS (
        SELECT
          1
        FROM
          "fresh"
      )
    RETURNING
      id
  ),
  "unlimited" AS (
    SELECT
      id
    FROM
      offerings
    WHERE
      redemption_limit IS NULL
      AND id = $15
      AND claims_erased_at IS NULL
      AND (
        expires_at IS NULL
        OR expires_at > $16
      )
      AND EXISTS (
        SELECT
          1
        FROM
          "fresh"
      )
    FOR SHARE
  ),
  "admitted" AS (
    SELECT
      "counted"."id"
    FROM
      "counted"
    UNION ALL
    SELECT
      "unlimited"."id"
    FROM
      "unlimited"
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
    INSERT INTO
      credentials (
        id,
        schema_id,
        issuer_id,
        owner,
        offered_by,
        holder_did,
        vc,
        signed,
        created_at,
        claims_due_at,
        record_due_at,
        subject_hash,
        valid_from,
        expires_at,
        names,
        reference_hash,
        label_hashes
      )
    SELECT
      $17,
      $18,
      $19,
      $20,
      $21::text,
      $22,
      $23::json,
      $24::boolean,
      $25,
      $26::timestamptz,
      $27::timestamptz,
      $28,
      $29::timestamptz,
      $30::timestamptz,
      $31::json,
      $32::text,
      $33::TEXT[]
    FROM
      "admitted"
    RETURNING
      id
  ),
  "redeemed" AS (
    INSERT INTO
      redemptions (
        id,
        offering_id,
        credential_id,
        recipient_did,
        redeemed_by,
        redeemed_at
      )
    SELECT
      $34,
      $35,
      "target"."id",
      $36,
      $37,
      $38
    FROM
      "target"
  ),
  "spent" AS (
    UPDATE issuance_tokens
    SET
      credential_id = "target"."id",
      issued_count = issued_count + $39
    FROM
      "target"
    WHERE
      token_hash = $40
      AND expires_at > $41
      AND expires_at <= $42
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
      $43::int
    FROM
      "target",
      jsonb_array_elements($44::jsonb) AS n (value)
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $45,
      $46,
      $47,
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

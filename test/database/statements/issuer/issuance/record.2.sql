WITH
  "counted" AS (
    UPDATE offerings
    SET
      redemption_count = redemption_count + 1,
      claims_due_at = CASE
        WHEN redemption_count + 1 < redemption_limit THEN claims_due_at
        ELSE $1::timestamptz
      END
    WHERE
      redemption_count < redemption_limit
      AND id = $2
      AND claims_erased_at IS NULL
      AND (
        expires_at IS NULL
        OR expires_at > $3
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
      AND id = $4
      AND claims_erased_at IS NULL
      AND (
        expires_at IS NULL
        OR expires_at > $5
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
      $6,
      $7,
      $8,
      $9,
      $10::text,
      $11,
      $12::json,
      $13::boolean,
      $14,
      $15::timestamptz,
      $16::timestamptz,
      $17,
      $18::timestamptz,
      $19::timestamptz,
      $20::json,
      $21::text,
      $22::TEXT[]
    FROM
      "admitted"
    RETURNING
      id
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
      $23::int
    FROM
      "target",
      jsonb_array_elements($24::jsonb) AS n (value)
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
      $25,
      $26,
      "target"."id",
      $27,
      $28,
      $29
    FROM
      "target"
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $30,
      $31,
      $32,
      "target"."id"
    FROM
      "target"
  )
SELECT
  id
FROM
  "target"

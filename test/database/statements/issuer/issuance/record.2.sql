WITH
  "counted" AS (
    UPDATE offerings
    SET
      redemption_count = redemption_count + 1
    WHERE
      redemption_count < redemption_limit
      AND id = $1
      AND (
        expires_at IS NULL
        OR expires_at > $2
      )
    RETURNING
      id
  ),
  "admitted" AS (
    SELECT
      "counted"."id"
    FROM
      "counted"
    UNION ALL
    SELECT
      id
    FROM
      offerings
    WHERE
      redemption_limit IS NULL
      AND id = $3
      AND (
        expires_at IS NULL
        OR expires_at > $4
      )
  ),
  "target" AS (
    INSERT INTO
      credentials (
        id,
        schema_id,
        issuer_id,
        owner,
        holder_did,
        vc,
        signed,
        created_at
      )
    SELECT
      $5,
      $6,
      $7,
      $8,
      $9,
      $10::json,
      $11::boolean,
      $12
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
        format
      )
    SELECT
      n.value ->> 0,
      (n.value ->> 1)::int,
      "target"."id",
      n.value ->> 2,
      n.value ->> 3
    FROM
      "target",
      jsonb_array_elements($13::jsonb) AS n (value)
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
      $14,
      $15,
      "target"."id",
      $16,
      $17,
      $18
    FROM
      "target"
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
  id
FROM
  "target"

WITH
  "admitted" AS (
    SELECT
      1 AS id
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
        created_at,
        claims_due_at,
        record_due_at
      )
    SELECT
      $1,
      $2,
      $3,
      $4,
      $5,
      $6::json,
      $7::boolean,
      $8,
      $9::timestamptz,
      $10::timestamptz
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
      jsonb_array_elements($11::jsonb) AS n (value)
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $12,
      $13,
      $14,
      "target"."id"
    FROM
      "target"
  )
SELECT
  id
FROM
  "target"

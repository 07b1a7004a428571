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
      $1,
      $2,
      $3,
      $4,
      $5::text,
      $6,
      $7::json,
      $8::boolean,
      $9,
      $10::timestamptz,
      $11::timestamptz,
      $12,
      $13::timestamptz,
      $14::timestamptz,
      $15::json,
      $16::text,
      $17::TEXT[]
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
      $18::int
    FROM
      "target",
      jsonb_array_elements($19::jsonb) AS n (value)
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $20,
      $21,
      $22,
      "target"."id"
    FROM
      "target"
  )
SELECT
  id
FROM
  "target"

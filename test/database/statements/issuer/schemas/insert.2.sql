WITH
  "t" AS (
    INSERT INTO
      credential_types (name, created_by)
    VALUES
      ($1, $2)
    ON CONFLICT (name) DO UPDATE
    SET
      created_by = credential_types.created_by
    RETURNING
      created_by
  ),
  "inserted" AS (
    INSERT INTO
      schemas (
        id,
        name,
        version,
        body,
        title,
        description,
        display,
        claims,
        selectively_disclosable,
        expires_in_days,
        claims_from,
        key_attestation,
        mdoc,
        suspendable,
        active_sets,
        on_refresh,
        valid_from,
        watch_attestations,
        retention,
        claims_source,
        created_by
      )
    SELECT
      $3,
      $4,
      $5::float,
      $6::json,
      $7,
      $8,
      $9::jsonb,
      $10::jsonb,
      $11::jsonb,
      $12::int,
      $13::jsonb,
      $14::jsonb,
      $15::json,
      $16::boolean,
      $17::jsonb,
      $18,
      $19::timestamptz,
      $20::boolean,
      $21::jsonb,
      $22::jsonb,
      $23
    FROM
      "t" t
    WHERE
      (
        t.created_by = $24
        OR $25::boolean
      )
    ON CONFLICT (name, version) DO NOTHING
    RETURNING
      id
  ),
  "source" AS (
    INSERT INTO
      claims_sources (schema_id, secret)
    SELECT
      id,
      $26
    FROM
      "inserted"
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $27,
      $28,
      $29,
      "inserted"."id"
    FROM
      "inserted"
  )
SELECT
  EXISTS (
    SELECT
      1
    FROM
      "inserted"
  ) AS created,
  (
    SELECT
      (
        t.created_by = $30
        OR $31::boolean
      )
    FROM
      "t" t
  ) AS permitted,
  EXISTS (
    SELECT
      1
    FROM
      schemas
    WHERE
      name = $32
      AND version = $33::float
  ) AS EXISTS

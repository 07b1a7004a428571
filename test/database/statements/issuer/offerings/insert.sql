WITH
  "offering" AS (
    INSERT INTO
      offerings (
        id,
        schema_id,
        issuer_id,
        credential_subject,
        recipient,
        redemption_limit,
        expires_at,
        created_at,
        configuration_ids,
        is_session,
        "grant",
        for_subject,
        deferred,
        profile,
        of_authorization,
        claims_due_at,
        names,
        reference_hash,
        label_hashes,
        claims_at_issuance,
        expires_in_days,
        valid_from
      )
    SELECT
      $1,
      $2,
      $3,
      $4::json,
      $5,
      $6::int,
      $7::timestamptz,
      $8::timestamptz,
      $9::TEXT[],
      $10::boolean,
      $11,
      $12,
      $13::boolean,
      $14,
      $15::boolean,
      $16::timestamptz,
      $17::json,
      $18::text,
      $19::TEXT[],
      $20::boolean,
      $21::int,
      $22::timestamptz
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $23,
      $24,
      $25,
      "offering"."id"
    FROM
      "offering"
  )
SELECT
  id
FROM
  "offering"

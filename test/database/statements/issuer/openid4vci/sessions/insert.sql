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
        claims_due_at
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
      $16::timestamptz
    RETURNING
      id
  ),
  "session" AS (
    INSERT INTO
      credential_offer_sessions (
        id,
        created_by,
        tx_code,
        tx_code_hash,
        confidential,
        wallet_url,
        created_at,
        expires_at,
        first_view
      )
    SELECT
      id,
      $17,
      $18::jsonb,
      $19,
      $20::json,
      $21,
      $22,
      $23,
      $24::jsonb
    FROM
      "offering"
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $25,
      $26,
      $27,
      "offering"."id"
    FROM
      "offering"
  )
SELECT
  id
FROM
  "offering"

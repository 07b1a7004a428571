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
  "paged" AS (
    INSERT INTO
      pages (
        id,
        kind,
        verification_session_id,
        offering_id,
        made_by,
        texts,
        type_names,
        in_qr_code,
        created_at,
        expires_at
      )
    VALUES
      (
        $25,
        $26,
        $27,
        $28,
        $29,
        $30::json,
        $31::TEXT[],
        $32,
        $33,
        $34
      )
    ON CONFLICT (offering_id, made_by) DO UPDATE
    SET
      kind = excluded.kind
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $35,
      $36,
      $37,
      "offering"."id"
    FROM
      "offering"
  )
SELECT
  id
FROM
  "offering"

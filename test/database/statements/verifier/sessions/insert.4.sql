WITH
  "created" AS (
    INSERT INTO
      verification_sessions (
        id,
        request_id,
        qr_code_id,
        verifier_id,
        client_id,
        key_id,
        kid,
        x5c,
        verifier_attestation,
        state,
        response_mode,
        profile,
        secrets,
        dcql_query,
        vp_query,
        trusted_issuers,
        verifier_info,
        transaction_data,
        wallet_url,
        redirect_uri,
        require_response_code,
        further_client_ids,
        expected_origins,
        evidence_seconds,
        created_by,
        created_at,
        expires_at,
        first_view
      )
    VALUES
      (
        $1,
        $2,
        $3,
        $4,
        $5,
        $6,
        $7,
        NULL,
        $8,
        $9,
        $10,
        $11,
        $12,
        $13::json,
        $14::json,
        NULL,
        NULL,
        NULL,
        $15,
        $16,
        $17,
        NULL,
        NULL,
        $18,
        $19,
        $20,
        $21,
        $22::jsonb
      )
    RETURNING
      id
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
        $23,
        $24,
        $25,
        $26,
        $27,
        $28::json,
        $29::TEXT[],
        $30,
        $31,
        $32
      )
    ON CONFLICT (verification_session_id, on_demand) DO UPDATE
    SET
      kind = excluded.kind
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $33,
      $34,
      $35,
      "created"."id"
    FROM
      "created"
  )
SELECT
  id
FROM
  "created"

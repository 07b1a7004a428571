WITH
  "moved" AS (
    UPDATE verification_sessions s
    SET
      state = $1,
      seq = s.seq + 1
    WHERE
      request_id = $2
      AND state = ANY ($3::TEXT[])
      AND expires_at > $4
    RETURNING
      *
  ),
  "transitions" AS (
    SELECT
      id,
      seq,
      changes,
      first_view || changes AS data
    FROM
      (
        SELECT
          id,
          seq,
          first_view,
          jsonb_strip_nulls(
            jsonb_build_object('state', state, 'errorMessage', error_message)
          ) AS changes
        FROM
          "moved"
      ) AS moved_on
  ),
  "recorded_events" AS (
    INSERT INTO
      session_events (session_id, seq, changes, at)
    SELECT
      id,
      seq,
      changes,
      $5
    FROM
      "transitions"
  )
SELECT
  id,
  request_id AS "requestId",
  qr_code_id AS "qrCodeId",
  verifier_id AS "verifierId",
  client_id AS "clientId",
  key_id AS "keyId",
  kid,
  x5c,
  verifier_attestation AS "verifierAttestation",
  state,
  error_message AS "errorMessage",
  response_mode AS "responseMode",
  profile,
  secrets,
  dcql_query AS "dcqlQuery",
  vp_query AS "vpQuery",
  trusted_issuers AS "trustedIssuers",
  redirect_uri AS "redirectUri",
  verifier_info AS "verifierInfo",
  transaction_data AS "transactionData",
  wallet_url AS "walletUrl",
  require_response_code AS "requireResponseCode",
  further_client_ids AS "furtherClientIds",
  expected_origins AS "expectedOrigins",
  evidence_seconds AS "evidenceSeconds",
  created_by AS "createdBy",
  created_at AS "createdAt",
  expires_at AS "expiresAt",
  (
    SELECT
      jsonb_build_object('seq', seq, 'data', data)
    FROM
      "transitions"
  ) AS moved
FROM
  "moved"
UNION ALL
SELECT
  id,
  request_id AS "requestId",
  qr_code_id AS "qrCodeId",
  verifier_id AS "verifierId",
  client_id AS "clientId",
  key_id AS "keyId",
  kid,
  x5c,
  verifier_attestation AS "verifierAttestation",
  state,
  error_message AS "errorMessage",
  response_mode AS "responseMode",
  profile,
  secrets,
  dcql_query AS "dcqlQuery",
  vp_query AS "vpQuery",
  trusted_issuers AS "trustedIssuers",
  redirect_uri AS "redirectUri",
  verifier_info AS "verifierInfo",
  transaction_data AS "transactionData",
  wallet_url AS "walletUrl",
  require_response_code AS "requireResponseCode",
  further_client_ids AS "furtherClientIds",
  expected_origins AS "expectedOrigins",
  evidence_seconds AS "evidenceSeconds",
  created_by AS "createdBy",
  created_at AS "createdAt",
  expires_at AS "expiresAt",
  NULL
FROM
  verification_sessions
WHERE
  request_id = $6
  AND NOT EXISTS (
    SELECT
      1
    FROM
      "moved"
  )

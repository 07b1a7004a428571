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
  expires_at AS "expiresAt"
FROM
  verification_sessions
WHERE
  request_id = $1

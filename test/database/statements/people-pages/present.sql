WITH
  bound AS (
    UPDATE pages
    SET
      browser_hash = $1
    WHERE
      id = $2
      AND browser_hash IS NULL
      AND EXISTS (
        SELECT
          1
        FROM
          verification_sessions o
        WHERE
          o.id = pages.verification_session_id
          AND o.ended_at IS NULL
          AND o.expires_at > $3
      )
    RETURNING
      browser_hash
  )
SELECT
  s.*,
  p.texts,
  NULL::text AS "textsKey",
  p.in_qr_code AS "inQrCode",
  json_build_object('display', v.display, 'branding', v.branding) AS verifier,
  NULL::text AS "namesKey",
  (
    SELECT
      coalesce(json_agg(t), '[]')
    FROM
      (
        SELECT DISTINCT
          ON (c.name) c.name,
          c.title,
          c.display,
          c.body,
          c.claims
        FROM
          schemas c
        WHERE
          c.name = ANY (p.type_names)
        ORDER BY
          c.name,
          c.version DESC
      ) t
  ) AS types,
  coalesce(b.browser_hash, p.browser_hash) AS "browserHash",
  b.browser_hash IS NOT NULL AS bound
FROM
  pages p
  JOIN (
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
      names,
      claims_erased_at IS NOT NULL AS "claimsErased",
      first_view ->> 'authorizationRequestUri' AS address
    FROM
      verification_sessions
  ) s ON s.id = p.verification_session_id
  LEFT JOIN verifiers v ON v.did = s."verifierId"
  LEFT JOIN bound b ON TRUE
WHERE
  p.id = $4

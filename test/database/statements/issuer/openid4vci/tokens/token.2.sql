WITH
  "bound" AS (
    SELECT
      1
    FROM
      issuance_tokens
    WHERE
      token_hash = $1
      AND expires_at > $2
      AND expires_at <= $3
      AND dpop_jkt = $4::text
  ),
  "once" AS (
    INSERT INTO
      used_nonces (hash, expires_at)
    SELECT
      u.hash,
      u.expires_at
    FROM
      unnest($5::TEXT[], $6::TIMESTAMPTZ[]) AS u (hash, expires_at)
    WHERE
      EXISTS (
        SELECT
          1
        FROM
          "bound"
      )
    ON CONFLICT DO NOTHING
    RETURNING
      hash
  )
SELECT
  (
    SELECT
      count(*)
    FROM
      "once"
  ) = $7 AS proven,
  s.id,
  s.name,
  s.version,
  s.body,
  s.title,
  s.description,
  s.display,
  s.claims,
  s.selectively_disclosable AS "selectivelyDisclosable",
  s.expires_in_days AS "expiresInDays",
  s.claims_from AS "claimsFrom",
  s.key_attestation AS "keyAttestation",
  s.mdoc,
  s.suspendable,
  s.active_sets AS "activeSets",
  s.on_refresh AS "onRefresh",
  s.valid_from AS "validFrom",
  s.watch_attestations AS "watchAttestations",
  s.retention,
  s.claims_source AS "claimsSource",
  s.created_at AS "createdAt",
  s.withdrawn_at IS NOT NULL AS withdrawn,
  s.withdrawn_at IS NULL
  AND NOT EXISTS (
    SELECT
      1
    FROM
      schemas newer
    WHERE
      newer.name = s.name
      AND newer.version > s.version
      AND newer.withdrawn_at IS NULL
  ) AS active,
  ARRAY(
    SELECT
      a.issuer_id
    FROM
      schema_issuers a
    WHERE
      a.schema_id = s.id
    ORDER BY
      a.created_at,
      a.issuer_id
  ) AS issuers,
  i.id AS "issuerId",
  i.did AS "issuerDid",
  k.id AS "keyId",
  k.public_jwk AS "publicJwk",
  k.x5c,
  o.id AS "offeringId",
  s.name AS "schemaName",
  (
    s.mdoc IS NOT NULL
    AND EXISTS (
      SELECT
        1
      FROM
        issuers d
        JOIN LATERAL (
          SELECT
            *
          FROM
            keys
          WHERE
            keys.key_set_id = d.key_set_id
            AND keys.retired_at IS NULL
          ORDER BY
            keys.created_at DESC,
            keys.id DESC
          LIMIT
            1
        ) k ON TRUE
      WHERE
        k.x5c IS NOT NULL
        AND d.id = o.issuer_id
    )
  ) AS "asMdoc",
  o.configuration_ids AS offered,
  o.recipient,
  o."grant",
  o.for_subject AS "forSubject",
  o.profile,
  o.deferred,
  o.claims_at_issuance AS "claimsAtIssuance",
  o.redemption_limit AS "redemptionLimit",
  o.redemption_count AS "redemptionCount",
  o.expires_at AS "expiresAt",
  o.claims_erased_at IS NOT NULL AS "claimsErased",
  CASE
    WHEN x.id IS NULL THEN NULL
    ELSE jsonb_build_object(
      'id',
      x.id,
      'createdBy',
      x.created_by,
      'state',
      x.state,
      'seq',
      x.seq,
      'errorMessage',
      x.error_message,
      'deferred',
      x.deferred,
      'txCode',
      x.tx_code,
      'txCodeHash',
      x.tx_code_hash,
      'txCodeAttempts',
      x.tx_code_attempts,
      'linkNumber',
      x.link_number,
      'configurationIds',
      o.configuration_ids,
      'issuerId',
      o.issuer_id,
      'expiresAt',
      x.expires_at,
      'createdAt',
      x.created_at
    )
  END AS session,
  o.credential_subject AS "credentialSubject",
  NULL::text AS "subjectKey",
  t.token_hash AS "tokenHash",
  LEAST(t.expires_at, a.expires_at) AS "tokenExpiresAt",
  t.configuration_ids AS detailed,
  t.scope AS scoped,
  t.link_number AS "linkNumber",
  t.dpop_jkt AS "dpopJkt",
  t.authorization_id AS "authorizationId",
  a.expires_at AS "authorizationExpiresAt",
  a.client_id AS "clientId",
  a.user_sub AS "userSub",
  a.user_claims AS "userClaims",
  COALESCE(a.redemption_counted, t.credential_id IS NOT NULL) AS counted,
  COALESCE(a.credential_id, t.credential_id) AS "credentialId",
  CASE
    WHEN COALESCE(a.credential_id, t.credential_id) IS NULL THEN NULL
    ELSE c.id IS NOT NULL
    AND c.revoked_at IS NULL
  END AS "credentialGood",
  c.suspended_at IS NOT NULL AS "credentialSuspended",
  t.wallet_statuses AS "walletStatuses",
  COALESCE(c.signed, c.vc -> 'proof' IS NOT NULL) AS "credentialSigned",
  c.claims_erased_at IS NOT NULL AS "credentialErased",
  o.names,
  NULL::text AS "namesKey",
  o.reference_hash AS "referenceHash",
  o.label_hashes AS "labelHashes",
  o.expires_in_days AS "offeredDays",
  o.valid_from AS "offeredValidFrom",
  t.generation,
  COALESCE(a.generation, 0) AS "authorizationGeneration"
FROM
  (
    SELECT
      *
    FROM
      issuance_tokens
    WHERE
      token_hash = $8
      AND expires_at > $9
      AND expires_at <= $10
    LIMIT
      1
  ) t
  JOIN offerings o ON o.id = t.offering_id
  JOIN schemas s ON s.id = o.schema_id
  JOIN issuers i ON i.id = o.issuer_id
  JOIN LATERAL (
    SELECT
      *
    FROM
      keys
    WHERE
      keys.key_set_id = i.key_set_id
      AND keys.retired_at IS NULL
    ORDER BY
      keys.created_at DESC,
      keys.id DESC
    LIMIT
      1
  ) k ON TRUE
  LEFT JOIN credential_offer_sessions x ON x.id = o.id
  LEFT JOIN authorizations a ON a.id = t.authorization_id
  LEFT JOIN credentials c ON c.id = COALESCE(a.credential_id, t.credential_id)
WHERE
  t.authorization_id IS NULL
  OR a.id IS NOT NULL

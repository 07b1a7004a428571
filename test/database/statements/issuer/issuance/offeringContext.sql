SELECT
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
  o.credential_subject AS "credentialSubject",
  NULL::text AS "subjectKey",
  o.recipient,
  o.redemption_limit AS "redemptionLimit",
  o.redemption_count AS "redemptionCount",
  o.expires_at AS "expiresAt",
  o.claims_erased_at AS "claimsErasedAt",
  o.expires_in_days AS "offeredDays",
  o.valid_from AS "offeredValidFrom",
  o.names,
  NULL::text AS "namesKey",
  o.reference_hash AS "referenceHash",
  o.label_hashes AS "labelHashes",
  ARRAY(
    SELECT
      d.did
    FROM
      dids d
      JOIN holders h ON h.id = d.holder_id
    WHERE
      h.created_by = $1
  ) AS "callerDids"
FROM
  offerings o
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
WHERE
  o.id = $2
  AND NOT o.is_session
  AND NOT o.of_authorization

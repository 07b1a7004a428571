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
  o.deferred
  OR x.deferred IS NOT NULL AS deferred,
  o.claims_at_issuance AS "claimsAtIssuance",
  o.names,
  NULL::text AS "namesKey"
FROM
  credential_offer_sessions x
  JOIN offerings o ON o.id = x.id
  JOIN schemas s ON s.id = o.schema_id
WHERE
  x.id = $1
  AND TRUE

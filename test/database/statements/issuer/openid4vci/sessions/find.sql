SELECT
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
  o.claims_erased_at AS "claimsErasedAt",
  o.names,
  NULL::text AS "namesKey"
FROM
  credential_offer_sessions x
  JOIN offerings o ON o.id = x.id
WHERE
  x.id = $1
  AND TRUE

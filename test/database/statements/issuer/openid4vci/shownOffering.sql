SELECT
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
  s.title AS "schemaTitle",
  s.display AS "schemaDisplay",
  s.body AS "schemaBody",
  s.claims AS "schemaClaims",
  i.display AS "issuerDisplay",
  o.credential_subject AS "credentialSubject",
  NULL::text AS "subjectKey"
FROM
  offerings o
  JOIN schemas s ON s.id = o.schema_id
  JOIN issuers i ON i.id = o.issuer_id
  LEFT JOIN credential_offer_sessions x ON x.id = o.id
WHERE
  o.id = $1
  AND o.is_session = (x.id IS NOT NULL)

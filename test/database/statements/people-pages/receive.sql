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
          credential_offer_sessions n
        WHERE
          n.id = pages.offering_id
          AND n.state = ANY ($3)
          AND n.expires_at > $4
      )
    RETURNING
      browser_hash
  )
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
  p.texts,
  NULL::text AS "textsKey",
  p.in_qr_code AS "inQrCode",
  x.wallet_url AS "walletUrl",
  s.title AS "schemaTitle",
  s.display AS "schemaDisplay",
  s.body AS "schemaBody",
  s.claims AS "schemaClaims",
  s.retention,
  json_build_object('display', i.display, 'branding', i.branding) AS issuer,
  coalesce(b.browser_hash, p.browser_hash) AS "browserHash",
  b.browser_hash IS NOT NULL AS bound
FROM
  pages p
  JOIN offerings o ON o.id = p.offering_id
  JOIN schemas s ON s.id = o.schema_id
  JOIN issuers i ON i.id = o.issuer_id
  LEFT JOIN credential_offer_sessions x ON x.id = o.id
  LEFT JOIN bound b ON TRUE
WHERE
  p.id = $5
  AND o.is_session = (x.id IS NOT NULL)

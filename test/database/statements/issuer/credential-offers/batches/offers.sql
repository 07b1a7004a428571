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
  x.wallet_url AS "walletUrl",
  s.withdrawn_at IS NOT NULL AS withdrawn,
  EXISTS (
    SELECT
      1
    FROM
      offer_batches c
    WHERE
      c.id = o.batch_id
      AND c.cancelled_at IS NOT NULL
  ) AS "batchCancelled",
  (x.first_view ->> 'expiresAt')::timestamptz AS "firstExpiresAt",
  x.confidential,
  NULL::text AS "confidentialKey",
  p.id AS "pageId",
  p.in_qr_code AS "inQrCode",
  p.texts,
  NULL::text AS "textsKey",
  b.id AS "batchId",
  b.confidential AS "batchConfidential",
  NULL::text AS "batchKey",
  o.names,
  NULL::text AS "namesKey",
  w.batch_row AS "row"
FROM
  (
    SELECT
      id,
      batch_row
    FROM
      offerings
    WHERE
      batch_id = $1
      AND batch_row > $2::int
    ORDER BY
      batch_row
    LIMIT
      $3
  ) w
  JOIN offerings o ON o.id = w.id
  JOIN schemas s ON s.id = o.schema_id
  LEFT JOIN credential_offer_sessions x ON x.id = o.id
  JOIN LATERAL (
    SELECT
      1
    WHERE
      o.is_session = (x.id IS NOT NULL)
  ) kept ON TRUE
  LEFT JOIN pages p ON p.offering_id = x.id
  AND p.made_by = x.created_by
  LEFT JOIN offer_batches b ON b.id = o.batch_id
  AND b.cancelled_at = x.ended_at
  AND x.error_message = $4
ORDER BY
  w.batch_row

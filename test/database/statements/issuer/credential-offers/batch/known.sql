SELECT
  k.key AS "storedKey",
  k.request_hash AS "requestHash",
  x.id,
  o.profile,
  x.wallet_url AS "walletUrl",
  x.tx_code AS "txCode",
  p.id AS "pageId",
  x.link_number AS "linkNumber",
  o.batch_id AS "batchId",
  x.confidential,
  NULL::text AS "confidentialKey"
FROM
  credential_offer_keys k
  JOIN credential_offer_sessions x ON x.id = k.session_id
  JOIN offerings o ON o.id = x.id
  LEFT JOIN pages p ON p.offering_id = x.id
  AND p.made_by = x.created_by
WHERE
  k.created_by = $1
  AND k.key = ANY ($2::TEXT[])

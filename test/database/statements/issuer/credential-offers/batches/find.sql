SELECT
  b.id,
  b.name,
  b.created_by AS "createdBy",
  b.created_at AS "createdAt",
  b.size,
  b.cancelled_at AS "cancelledAt",
  b.confidential,
  NULL::text AS "confidentialKey"
FROM
  offer_batches b
WHERE
  b.id = $1
  AND TRUE

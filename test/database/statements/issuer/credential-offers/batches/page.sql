SELECT
  b.id,
  b.name,
  b.created_by AS "createdBy",
  b.created_at AS "createdAt",
  b.size,
  b.cancelled_at AS "cancelledAt"
FROM
  offer_batches b
WHERE
  TRUE
  AND TRUE
ORDER BY
  b.created_at DESC,
  b.id DESC
LIMIT
  $1

SELECT
  d.id,
  d.type,
  d.at AS "createdAt",
  d.outcome,
  d.tries,
  d.tried_at AS "triedAt",
  d.status,
  d.milliseconds,
  d.answer,
  d.error,
  d.data
FROM
  webhook_deliveries d
WHERE
  d.webhook_id = $1
ORDER BY
  d.at DESC,
  d.id DESC
LIMIT
  $2

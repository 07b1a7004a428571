SELECT
  x.state,
  COALESCE(x.error_message = $1, FALSE) AS cancelled,
  count(*)::int AS count
FROM
  offerings o
  JOIN credential_offer_sessions x ON x.id = o.id
WHERE
  o.batch_id = $2
GROUP BY
  1,
  2

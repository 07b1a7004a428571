SELECT
  count(*)::int AS count
FROM
  (
    SELECT
    FROM
      idempotency_keys
    WHERE
      caller = $1
      AND expires_at > $2
    LIMIT
      $3
  ) k

WITH
  "claimed" AS (
    INSERT INTO
      idempotency_keys AS k (
        id,
        caller,
        request,
        claim,
        leased_until,
        expires_at
      )
    VALUES
      ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (id) DO UPDATE
    SET
      request = EXCLUDED.request,
      claim = EXCLUDED.claim,
      leased_until = EXCLUDED.leased_until,
      expires_at = EXCLUDED.expires_at,
      answered_at = NULL,
      answer = NULL
    WHERE
      k.expires_at <= $7
      OR (
        k.answered_at IS NULL
        AND k.leased_until <= $8
        AND k.request = EXCLUDED.request
      )
    RETURNING
      request
  )
SELECT
  TRUE AS "isMine",
  request,
  FALSE AS "isAnswered",
  NULL AS answer
FROM
  "claimed"
UNION ALL
SELECT
  FALSE,
  request,
  answered_at IS NOT NULL,
  answer
FROM
  idempotency_keys
WHERE
  id = $9
  AND NOT EXISTS (
    SELECT
    FROM
      "claimed"
  )

WITH
  "held_session" AS (
    SELECT
      1
    FROM
      credential_offer_sessions
    WHERE
      id IN (
        SELECT
          x.id
        FROM
          credential_offer_sessions x
        WHERE
          x.id = $1
          AND TRUE
      )
    ORDER BY
      id
    FOR UPDATE
  )
SELECT
  erase_claims (NULL, o.id, $2, $3) AS at
FROM
  offerings o
  LEFT JOIN credential_offer_sessions x ON x.id = o.id
WHERE
  o.id = $4
  AND (
    o.is_session
    OR o.of_authorization
  )
  AND TRUE
  AND (
    SELECT
      count(*)
    FROM
      "held_session"
  ) >= 0

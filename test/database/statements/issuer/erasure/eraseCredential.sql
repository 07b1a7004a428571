WITH
  "held_session" AS (
    SELECT
      1
    FROM
      credential_offer_sessions
    WHERE
      id IN (
        SELECT
          r.offering_id
        FROM
          redemptions r
          JOIN credentials c ON c.id = r.credential_id
        WHERE
          r.credential_id = $1
          AND TRUE
      )
    ORDER BY
      id
    FOR UPDATE
  )
SELECT
  erase_claims (c.id, NULL, $2, $3) AS at
FROM
  credentials c
WHERE
  c.id = $4
  AND TRUE
  AND (
    SELECT
      count(*)
    FROM
      "held_session"
  ) >= 0

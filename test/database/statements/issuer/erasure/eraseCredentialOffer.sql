SELECT
  erase_claims (NULL, o.id, $1, $2) AS at
FROM
  offerings o
  LEFT JOIN credential_offer_sessions x ON x.id = o.id
WHERE
  o.id = $3
  AND (
    o.is_session
    OR o.of_authorization
  )
  AND TRUE

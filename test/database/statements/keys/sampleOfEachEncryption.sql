SELECT DISTINCT
  ON (split_part(private_jwk, '.', 1)) id,
  private_jwk AS "privateJwk"
FROM
  keys
WHERE
  key_set_id IN (
    SELECT
      key_set_id
    FROM
      issuers
    UNION ALL
    SELECT
      key_set_id
    FROM
      verifiers
    UNION ALL
    SELECT
      key_set_id
    FROM
      dids
    WHERE
      holder_id IS NULL
    UNION ALL
    SELECT
      $1
  )
  AND private_jwk NOT LIKE '{%'
ORDER BY
  split_part(private_jwk, '.', 1)

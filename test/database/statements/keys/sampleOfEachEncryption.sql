SELECT DISTINCT
  ON (split_part(private_jwk, '.', 1)) id,
  private_jwk AS "privateJwk"
FROM
  keys
WHERE
  private_jwk NOT LIKE '{%'
ORDER BY
  split_part(private_jwk, '.', 1)

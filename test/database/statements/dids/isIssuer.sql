SELECT
  did
FROM
  dids
WHERE
  did = $1
  AND purpose = 'issuer'

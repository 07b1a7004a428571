SELECT
  p.id,
  p.compact,
  p.kid,
  p.presented_at AS "presentedAt"
FROM
  wallet_credential_copies p
WHERE
  p.credential_id = $1
ORDER BY
  p.id

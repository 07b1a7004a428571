SELECT
  q.key,
  c.revoked_at IS NOT NULL AS revoked,
  c.suspended_at IS NOT NULL AS suspended,
  l.bits,
  l.size,
  k.public_jwk AS "publicJwk"
FROM
  unnest($1::TEXT[], $2::TEXT[], $3::INT[]) AS q (key, list_id, status_index)
  JOIN status_lists l ON l.id = q.list_id
  JOIN keys k ON k.id = l.key_id
  LEFT JOIN credential_instances c ON c.status_list_id = l.id
  AND c.status_index = q.status_index

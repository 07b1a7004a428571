SELECT
  id,
  url,
  kind,
  profile,
  purpose,
  types,
  service_types AS "serviceTypes",
  signer,
  max_age_hours AS "maxAgeHours",
  territory,
  note,
  created_by AS "createdBy",
  created_at AS "createdAt"
FROM
  trust_lists
ORDER BY
  created_at,
  id
LIMIT
  $1

SELECT
  (
    t.created_by = $1
    OR $2::boolean
  ) AS permitted
FROM
  schemas s
  JOIN credential_types t ON t.name = s.name
WHERE
  s.id = $3

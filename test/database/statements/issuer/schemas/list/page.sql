SELECT
  s.id,
  s.name,
  s.version,
  s.title,
  s.description,
  CASE
    WHEN octet_length(s.display::text) <= $1 THEN s.display
  END AS display,
  s.mdoc IS NOT NULL AS "hasMdoc",
  (
    s.withdrawn_at IS NULL
    AND NOT EXISTS (
      SELECT
        1
      FROM
        schemas newer
      WHERE
        newer.name = s.name
        AND newer.version > s.version
        AND newer.withdrawn_at IS NULL
    )
  ) AS active,
  s.withdrawn_at IS NOT NULL AS withdrawn,
  s.created_at AS "createdAt"
FROM
  schemas s
WHERE
  TRUE
ORDER BY
  s.created_at DESC,
  s.id DESC
LIMIT
  $2

SELECT
  count(*)::int AS count,
  (
    SELECT
      id
    FROM
      status_lists
    ORDER BY
      created_at DESC,
      id DESC
    LIMIT
      1
  ) AS newest
FROM
  status_lists

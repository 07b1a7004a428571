SELECT
  count(*)::int AS count
FROM
  trust_lists

SELECT
  at,
  measure,
  detail,
  sum(count)::int AS count
FROM
  statistics
WHERE
  step = $1
  AND at >= $2
  AND at < $3
  AND measure <> 'issuedIn'
GROUP BY
  1,
  2,
  3
ORDER BY
  1,
  2,
  3

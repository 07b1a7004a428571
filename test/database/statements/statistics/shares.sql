SELECT
  measure,
  type,
  detail,
  count
FROM
  (
    SELECT
      measure,
      type,
      detail,
      sum(count)::int AS count,
      row_number() OVER (
        PARTITION BY
          measure
        ORDER BY
          sum(count) DESC,
          type,
          detail
      ) AS place
    FROM
      statistics
    WHERE
      step = $1
      AND at >= $2
      AND at < $3
      AND measure IN ('issuedIn', 'failedChecks')
    GROUP BY
      1,
      2,
      3
  ) ranked
WHERE
  place <= $4
ORDER BY
  measure,
  place

SELECT
  count(*)::int AS count,
  count(failed_at)::int AS unreadable,
  min(failed_at) AS since,
  (
    array_agg(
      uri
      ORDER BY
        failed_at
    )
  ) [1] AS uri,
  (
    array_agg(
      failure
      ORDER BY
        failed_at
    )
  ) [1] AS failure
FROM
  attestation_lists

SELECT
  complete_at AS at
FROM
  statistics_progress

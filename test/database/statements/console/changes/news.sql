WITH
  late AS MATERIALIZED (
    SELECT
      id,
      subject,
      subject_id
    FROM
      audit_events
    WHERE
      id = ANY ($1::BIGINT[])
      AND at > now() - interval '1 hour'
  ),
  fresh AS MATERIALIZED (
    SELECT
      id,
      subject,
      subject_id
    FROM
      audit_events
    WHERE
      id > $2::bigint
      AND at > now() - interval '1 hour'
    ORDER BY
      id
    LIMIT
      $3
  )
SELECT
  COALESCE(
    (
      SELECT
        json_agg(
          json_build_object(
            'id',
            id,
            'subject',
            subject,
            'subjectId',
            subject_id
          )
          ORDER BY
            id
        )
      FROM
        (
          TABLE late
          UNION ALL
          TABLE fresh
        ) AS news
    ),
    '[]'
  ) AS events,
  COALESCE(
    (
      SELECT
        high::text
      FROM
        statistics_progress
    ),
    ''
  ) AS counted

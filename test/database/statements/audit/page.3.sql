WITH RECURSIVE
  actions (action) AS (
    SELECT
      min(action)
    FROM
      audit_events
    UNION ALL
    SELECT
      (
        SELECT
          min(e.action)
        FROM
          audit_events e
        WHERE
          e.action > before.action
      )
    FROM
      actions before
    WHERE
      before.action IS NOT NULL
  ),
  kinds AS (
    SELECT
      actions.action,
      latest.subject
    FROM
      actions
      CROSS JOIN LATERAL (
        SELECT
          a.subject
        FROM
          audit_events a
        WHERE
          a.action = actions.action
        ORDER BY
          a.at DESC
        LIMIT
          1
      ) latest
  )
SELECT
  newest.*
FROM
  kinds AS things
  CROSS JOIN LATERAL (
    SELECT
      lpad(a.id::text, 19, '0') AS id,
      a.at AS "createdAt",
      a.actor,
      a.action,
      a.subject,
      a.subject_id AS "subjectId",
      a.detail
    FROM
      audit_events a
    WHERE
      a.action = things.action
      AND a.at >= $1
      AND a.at < $2
    ORDER BY
      a.at DESC,
      lpad(a.id::text, 19, '0') DESC
    LIMIT
      $3
  ) newest
WHERE
  TRUE
ORDER BY
  newest."createdAt" DESC,
  newest.id DESC
LIMIT
  $4

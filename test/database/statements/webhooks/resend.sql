WITH
  "found" AS (
    SELECT
      id,
      at,
      type,
      data,
      outcome
    FROM
      webhook_deliveries
    WHERE
      id = $1
      AND webhook_id = $2
    LIMIT
      1
  ),
  "again" AS (
    UPDATE webhook_deliveries d
    SET
      outcome = 'pending'
    FROM
      "found"
    WHERE
      d.id = "found"."id"
      AND d.at = "found"."at"
      AND d.outcome <> 'pending'
    RETURNING
      d.id,
      d.at,
      d.type,
      d.data
  ),
  "line" AS (
    INSERT INTO
      webhook_lines (webhook_id, subject, next_at, waiting)
    SELECT
      $3,
      'resend:' || d.id,
      '-infinity',
      jsonb_build_array(
        jsonb_build_object(
          'id',
          d.id,
          'at',
          d.at,
          'type',
          d.type,
          'data',
          d.data
        )
      )
    FROM
      "again" d
  )
SELECT
  outcome
FROM
  "found"

WITH
  "chosen" AS (
    SELECT
      id,
      at
    FROM
      webhook_deliveries
    WHERE
      webhook_id = $1
      AND at >= $2
      AND at < $3
      AND outcome <> 'pending'
      AND type <> 'webhook.test'
    LIMIT
      $4
  ),
  "again" AS (
    UPDATE webhook_deliveries d
    SET
      outcome = 'pending'
    FROM
      "chosen"
    WHERE
      d.id = "chosen"."id"
      AND d.at = "chosen"."at"
      AND d.outcome <> 'pending'
      AND (
        SELECT
          count(*)
        FROM
          "chosen"
      ) <= $5::int
    RETURNING
      d.id,
      d.at,
      d.seq,
      d.type,
      d.subject,
      d.data
  ),
  "lines" AS (
    INSERT INTO
      webhook_lines (webhook_id, subject, next_at, waiting)
    SELECT
      $6,
      'replay:' || $7::text || ':' || d.subject,
      '-infinity',
      jsonb_agg(
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
        ORDER BY
          d.seq
      )
    FROM
      "again" d
    GROUP BY
      d.subject
  )
SELECT
  count(*)::int AS count
FROM
  "chosen"

WITH
  "retexted" AS (
    UPDATE pages
    SET
      texts = $1::json,
      title = NULL,
      text = NULL
    WHERE
      id = $2
    RETURNING
      id
  ),
  "content_keys_forgotten" AS (
    DELETE FROM content_keys k USING "retexted"
    WHERE
      k.row_id = "retexted"."id"
      AND k.column_name = $3
  )
SELECT
  id
FROM
  "retexted"

WITH
  "done" AS (
    SELECT
      change_credential_status ($1, $2, $3, $4, $5, $6::json) AS outcome
  ),
  "changed" AS (
    SELECT
      $7::text AS id
    FROM
      "done"
    WHERE
      "done"."outcome" = 'changed'
  ),
  "content_keys_forgotten" AS (
    DELETE FROM content_keys k USING "changed"
    WHERE
      k.row_id = "changed"."id"
      AND k.column_name = $8
  )
SELECT
  "done"."outcome"
FROM
  "done"

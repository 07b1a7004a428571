WITH
  "kept" AS (
    SELECT
      id
    FROM
      offerings
    WHERE
      id = $1
      AND claims_erased_at IS NULL
    FOR SHARE
  ),
  "retexted" AS (
    UPDATE pages p
    SET
      texts = $2::json
    FROM
      "kept"
    WHERE
      p.id = $3
    RETURNING
      p.id
  ),
  "content_keys_forgotten" AS (
    DELETE FROM content_keys k USING "retexted"
    WHERE
      k.row_id = "retexted"."id"
      AND k.column_name = $4
  )
SELECT
  id
FROM
  "retexted"

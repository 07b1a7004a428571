WITH
  "done" AS (
    SELECT
      change_credential_status ($1, $2, $3, $4, $5, $6::json) AS outcome
  )
SELECT
  "done"."outcome"
FROM
  "done"

WITH
  "noted" AS (
    UPDATE trust_list_documents
    SET
      noted_state = $1
    WHERE
      id = $2
      AND version = $3
      AND checked_at IS NOT DISTINCT FROM $4::timestamptz
      AND failed_at IS NOT DISTINCT FROM $5::timestamptz
      AND noted_state IS NOT DISTINCT FROM $6::text
    RETURNING
      id
  )
SELECT
  id
FROM
  "noted"

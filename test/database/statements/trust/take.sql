WITH
  "due" AS (
    SELECT
      id,
      due_at AS at
    FROM
      trust_list_documents
    WHERE
      id = $1
      AND (
        leased_until IS NULL
        OR leased_until <= $2
      )
    FOR NO KEY UPDATE
      SKIP LOCKED
  )
UPDATE trust_list_documents d
SET
  leased_until = $3::timestamptz
FROM
  "due"
WHERE
  d.id = "due"."id"
RETURNING
  d.id,
  d.url,
  d.version,
  d.sequence_number::float8 AS "sequenceNumber",
  d.issued_at AS "issuedAt",
  d.next_update AS "nextUpdate",
  d.read_at AS "readAt",
  d.checked_at AS "checkedAt",
  d.failed_check AS "failedCheck",
  d.failure,
  d.failed_at AS "failedAt",
  d.alert,
  d.alert_at AS "alertAt",
  d.noted_state AS "notedState",
  d.etag,
  d.last_modified AS "lastModified",
  "due"."at"

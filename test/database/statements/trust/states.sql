SELECT
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
  d.noted_state AS "notedState"
FROM
  trust_list_documents d
WHERE
  d.id = ANY ($1::TEXT[])

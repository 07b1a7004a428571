UPDATE trust_list_documents
SET
  checked_at = $1,
  due_at = $2,
  leased_until = NULL,
  failed_check = NULL,
  failure = NULL,
  failed_at = NULL,
  etag = COALESCE($3, etag),
  last_modified = COALESCE($4, last_modified)
WHERE
  id = $5

SELECT
  version,
  content
FROM
  trust_list_documents
WHERE
  id = $1

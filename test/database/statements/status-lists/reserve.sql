SELECT
  list_id AS "listId",
  list_size AS size,
  first AS "from",
  past AS "to"
FROM
  reserve_status_indices ($1, $2, $3, $4, $5, $6, $7)

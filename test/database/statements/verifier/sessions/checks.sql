SELECT
  created_by AS "createdBy",
  state,
  error_message AS "errorMessage",
  checks,
  dcql_query AS "dcqlQuery",
  secrets,
  transaction_data AS "transactionData"
FROM
  verification_sessions
WHERE
  id = $1
  AND TRUE

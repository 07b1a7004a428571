SELECT
  state,
  error_message AS "errorMessage",
  checks
FROM
  verification_sessions
WHERE
  id = $1

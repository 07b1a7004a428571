UPDATE verification_sessions
SET
  response_code_used_at = $1
WHERE
  id = $2
  AND response_code_used_at IS NULL
RETURNING
  id

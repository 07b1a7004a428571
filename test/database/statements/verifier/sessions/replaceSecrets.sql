UPDATE verification_sessions
SET
  secrets = $1
WHERE
  id = $2
  AND ended_at IS NULL
RETURNING
  id

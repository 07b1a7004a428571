UPDATE verification_sessions
SET
  qr_code_id = NULL
WHERE
  qr_code_id = $1
RETURNING
  id

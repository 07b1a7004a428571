SELECT
  revoke_credential ($1, $2, $3) AS EXISTS

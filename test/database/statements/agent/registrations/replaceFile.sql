DELETE FROM registration_certificates
WHERE
  issuer_id = $1
  AND from_file
  AND NOT fingerprint = ANY ($2)

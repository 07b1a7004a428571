DELETE FROM registration_certificates
WHERE
  verifier_id = $1
  AND from_file
  AND NOT fingerprint = ANY ($2)

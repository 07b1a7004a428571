INSERT INTO
  pages (
    id,
    kind,
    verification_session_id,
    offering_id,
    made_by,
    type_names,
    on_demand,
    created_at,
    expires_at
  )
VALUES
  ($1, $2, $3, $4, $5, $6::TEXT[], TRUE, $7, $8)
ON CONFLICT DO NOTHING

SELECT
  seq,
  first_view || jsonb_strip_nulls(
    jsonb_build_object('state', state, 'errorMessage', error_message)
  ) AS data
FROM
  verification_sessions
WHERE
  id = $1

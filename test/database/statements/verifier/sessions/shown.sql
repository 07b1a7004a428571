SELECT
  s.seq,
  s.first_view || jsonb_strip_nulls(
    jsonb_build_object('state', state, 'errorMessage', error_message)
  ) || jsonb_strip_nulls(
    jsonb_build_object(
      'claimsErasedAt',
      to_char(
        claims_erased_at AT TIME ZONE 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      )
    )
  ) AS data,
  s.created_by AS "createdBy",
  s.names,
  NULL::text AS "namesKey"
FROM
  verification_sessions s
WHERE
  s.id = $1

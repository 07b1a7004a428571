SELECT
  seq,
  first_view || jsonb_strip_nulls(
    jsonb_build_object(
      'state',
      state,
      'errorMessage',
      error_message,
      'deferred',
      deferred,
      'expiresAt',
      CASE
        WHEN deferred IS NOT NULL
        OR link_number > 0 THEN to_char(
          expires_at AT TIME ZONE 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
        )
      END
    )
  ) AS data
FROM
  credential_offer_sessions
WHERE
  id = $1

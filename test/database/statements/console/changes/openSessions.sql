SELECT
  'credential-offer-session' AS kind,
  newest.id,
  states.state
FROM
  unnest($1::TEXT[]) AS states (state)
  CROSS JOIN LATERAL (
    SELECT
      id
    FROM
      credential_offer_sessions
    WHERE
      state = states.state
    ORDER BY
      created_at DESC
    LIMIT
      $2
  ) newest
UNION ALL
(
  SELECT
    'verification-session',
    id,
    state
  FROM
    verification_sessions
  WHERE
    ended_at IS NULL
  ORDER BY
    created_at DESC
  LIMIT
    $3
)

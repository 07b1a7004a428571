WITH
  offers AS MATERIALIZED (
    SELECT
      unnest($1::TEXT[]) AS id
    UNION
    SELECT
      offering_id
    FROM
      redemptions
    WHERE
      credential_id = ANY ($2::TEXT[])
  )
SELECT
  'credential-offer-session' AS kind,
  s.id,
  s.state
FROM
  offers
  JOIN credential_offer_sessions s ON s.id = offers.id
UNION ALL
SELECT
  'verification-session',
  id,
  state
FROM
  verification_sessions
WHERE
  id = ANY ($3::TEXT[])
UNION ALL
SELECT
  'credential',
  id,
  CASE
    WHEN revoked_at IS NOT NULL THEN 'revoked'
    WHEN expired_at IS NOT NULL THEN 'expired'
    WHEN suspended_at IS NOT NULL THEN 'suspended'
    ELSE 'active'
  END
FROM
  credentials
WHERE
  id = ANY ($4::TEXT[])
UNION ALL
SELECT
  'schema',
  id,
  CASE
    WHEN withdrawn_at IS NULL THEN 'published'
    ELSE 'withdrawn'
  END
FROM
  schemas
WHERE
  id = ANY ($5::TEXT[])

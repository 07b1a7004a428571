SELECT
  o.id,
  s.name AS "schemaName",
  s.version AS "schemaVersion",
  o.issuer_id AS "issuerId",
  o.recipient,
  o.for_subject AS "forSubject",
  o.redemption_limit AS "redemptionLimit",
  o.redemption_count AS "redemptionCount",
  o.expires_at AS "expiresAt",
  o.created_at AS "createdAt",
  o.claims_due_at AS "claimsDueAt",
  o.claims_erased_at AS "claimsErasedAt",
  (
    SELECT
      json_build_object(
        'state',
        x.state,
        'deferred',
        x.deferred,
        'errorMessage',
        x.error_message,
        'endedAt',
        x.ended_at
      )
    FROM
      credential_offer_sessions x
    WHERE
      x.id = o.id
  ) AS session
FROM
  offerings o
  JOIN schemas s ON s.id = o.schema_id
WHERE
  o.id = ANY ($1::TEXT[])
  AND (
    o.is_session
    OR o.of_authorization
    OR o.redemption_limit = 1
  )
  AND o.for_subject IS DISTINCT FROM $2
  AND (
    o.recipient IS NULL
    OR o.recipient <> ALL ($3::TEXT[])
  )

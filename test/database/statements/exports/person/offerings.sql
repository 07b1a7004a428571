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
  o.for_subject = $1
ORDER BY
  o.created_at DESC,
  o.id DESC
LIMIT
  $2

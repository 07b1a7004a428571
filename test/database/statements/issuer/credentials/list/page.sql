SELECT
  c.id,
  s.id AS "schemaId",
  s.name AS "schemaName",
  s.version AS "schemaVersion",
  c.issuer_id AS "issuerId",
  c.holder_did AS "holderDid",
  r.offering_id AS "offeringId",
  c.owner,
  c.created_at AS "createdAt",
  c.revoked_at AS "revokedAt",
  c.suspended_at AS "suspendedAt",
  c.expires_at AS "expiresAt",
  c.expired_at AS "expiredAt",
  c.superseded_by AS "supersededBy",
  c.status_reason AS "statusReason",
  s.suspendable,
  c.claims_erased_at AS "claimsErasedAt",
  ARRAY(
    SELECT DISTINCT
      configuration_id
    FROM
      (
        SELECT
          configuration_id
        FROM
          credential_instances i
        WHERE
          i.credential_id = c.id
        LIMIT
          $1
      ) AS taken
    ORDER BY
      1
  ) AS "configurationIds",
  c.names,
  NULL::text AS "namesKey"
FROM
  (
    SELECT
      r.credential_id AS id,
      r.redeemed_at AS created_at
    FROM
      redemptions r
      JOIN credentials c ON c.id = r.credential_id
    WHERE
      r.offering_id = $2
    ORDER BY
      r.redeemed_at DESC,
      r.credential_id DESC
    LIMIT
      $3
  ) AS k
  JOIN credentials c ON c.id = k.id
  JOIN schemas s ON s.id = c.schema_id
  LEFT JOIN redemptions r ON r.credential_id = c.id
ORDER BY
  k.created_at DESC,
  k.id DESC

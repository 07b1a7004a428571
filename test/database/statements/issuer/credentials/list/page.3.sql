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
      id,
      created_at
    FROM
      (
        (
          SELECT
            newest.*
          FROM
            (
              SELECT
                id
              FROM
                schemas v
              WHERE
                v.id = $2
                OR v.name = $3
            ) versions
            CROSS JOIN LATERAL (
              SELECT
                c.id,
                c.created_at
              FROM
                credentials c
              WHERE
                c.schema_id = versions.id
                AND c.created_at >= $4
                AND c.created_at < $5
              ORDER BY
                c.created_at DESC,
                c.id DESC
              LIMIT
                $6
            ) newest
        )
      ) AS parts
    ORDER BY
      created_at DESC,
      id DESC
    LIMIT
      $7
  ) AS k
  JOIN credentials c ON c.id = k.id
  JOIN schemas s ON s.id = c.schema_id
  LEFT JOIN redemptions r ON r.credential_id = c.id
ORDER BY
  k.created_at DESC,
  k.id DESC

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
  r.id AS "redemptionId",
  r.recipient_did AS "recipientDid",
  r.redeemed_by AS "redeemedBy",
  r.redeemed_at AS "redeemedAt",
  c.claims_due_at AS "claimsDueAt",
  c.record_due_at AS "recordDueAt",
  (
    SELECT
      coalesce(
        json_agg(
          json_build_object(
            'configurationId',
            t.configuration_id,
            'format',
            t.format,
            'statusListId',
            t.status_list_id,
            'statusListIndex',
            t.status_index,
            'revokedAt',
            t.revoked_at,
            'suspendedAt',
            t.suspended_at
          )
        ),
        '[]'
      )
    FROM
      (
        SELECT
          *
        FROM
          credential_instances i
        WHERE
          i.credential_id = c.id
        LIMIT
          $2
      ) t
  ) AS instances
FROM
  credentials c
  JOIN schemas s ON s.id = c.schema_id
  LEFT JOIN redemptions r ON r.credential_id = c.id
WHERE
  r.redeemed_by = $3
ORDER BY
  c.created_at DESC,
  c.id DESC
LIMIT
  $4

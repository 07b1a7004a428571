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
  (
    SELECT
      count(*)::int
    FROM
      credential_instances i
    WHERE
      i.credential_id = c.id
  ) AS "instanceCount",
  (
    SELECT
      jsonb_agg(
        jsonb_build_object(
          'configurationId',
          configuration_id,
          'format',
          format,
          'statusListId',
          status_list_id,
          'statusListIndex',
          status_index,
          'revokedAt',
          to_char(
            revoked_at AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
          ),
          'suspendedAt',
          to_char(
            suspended_at AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
          )
        )
      )
    FROM
      (
        SELECT
          *
        FROM
          credential_instances i
        WHERE
          i.credential_id = c.id
        ORDER BY
          configuration_id,
          status_list_id,
          status_index
        LIMIT
          $2
      ) shown
  ) AS instances
FROM
  credentials c
  JOIN schemas s ON s.id = c.schema_id
  LEFT JOIN redemptions r ON r.credential_id = c.id
WHERE
  c.id = $3

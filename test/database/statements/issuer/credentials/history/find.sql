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
  NULL::text AS "namesKey",
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
  ) AS instances,
  (
    SELECT
      jsonb_agg(
        jsonb_build_object(
          'kind',
          kind,
          'statusList',
          uri,
          'statusListIndex',
          idx,
          'readAt',
          to_char(
            read_at AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
          ),
          'failedAt',
          to_char(
            failed_at AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
          ),
          'failure',
          failure,
          'endsAt',
          to_char(
            ends_at AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
          ),
          'invalidAt',
          to_char(
            invalid_at AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
          )
        )
      )
    FROM
      (
        SELECT
          w.kind,
          w.idx,
          w.ends_at,
          w.invalid_at,
          l.uri,
          l.read_at,
          l.failed_at,
          l.failure
        FROM
          watched_attestations w
          JOIN attestation_lists l ON l.id = w.list_id
        WHERE
          w.credential_id = c.id
        ORDER BY
          w.kind DESC,
          l.uri,
          w.idx
        LIMIT
          $3
      ) watched
  ) AS attestations
FROM
  credentials c
  JOIN schemas s ON s.id = c.schema_id
  LEFT JOIN redemptions r ON r.credential_id = c.id
WHERE
  c.id = $4

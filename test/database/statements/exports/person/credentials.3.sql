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
  hashtextextended (c.owner, 0) = hashtextextended ($4, 0)
  AND c.owner = $5
  AND r.redeemed_by IS DISTINCT FROM $6
  AND (
    c.holder_did IS NULL
    OR c.holder_did <> ALL ($7::TEXT[])
  )
ORDER BY
  c.created_at DESC,
  c.id DESC
LIMIT
  $8

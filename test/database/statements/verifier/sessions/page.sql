SELECT
  s.id,
  s.verifier_id AS "verifierId",
  s.state,
  s.profile,
  s.error_message AS "errorMessage",
  s.created_by AS "createdBy",
  s.created_at AS "createdAt",
  s.expires_at AS "expiresAt",
  s.ended_at AS "endedAt",
  s.claims_erased_at AS "claimsErasedAt",
  CASE
    WHEN octet_length(s.dcql_query::text) <= $1 THEN s.dcql_query
  END AS "dcqlQuery",
  CASE
    WHEN s.error_message IS NOT NULL THEN (
      SELECT
        c #>> '{failed,check}'
      FROM
        json_array_elements(s.checks) c
      WHERE
        c #>> '{failed,check}' IS NOT NULL
      LIMIT
        1
    )
  END AS "failedCheck",
  s.names,
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
            id,
            created_at
          FROM
            verification_sessions v
          WHERE
            ended_at IS NULL
          ORDER BY
            created_at DESC,
            id DESC
          LIMIT
            $2
        )
        UNION ALL
        (
          SELECT
            id,
            created_at
          FROM
            verification_sessions v
          WHERE
            ended_at IS NOT NULL
            AND error_message IS NULL
          ORDER BY
            created_at DESC,
            id DESC
          LIMIT
            $3
        )
        UNION ALL
        (
          SELECT
            id,
            created_at
          FROM
            verification_sessions v
          WHERE
            ended_at IS NOT NULL
            AND error_message IS NOT NULL
          ORDER BY
            created_at DESC,
            id DESC
          LIMIT
            $4
        )
      ) AS parts
    ORDER BY
      created_at DESC,
      id DESC
    LIMIT
      $5
  ) AS k
  JOIN verification_sessions s ON s.id = k.id
ORDER BY
  k.created_at DESC,
  k.id DESC

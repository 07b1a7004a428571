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
  s.claims_erased_at AS "claimsErasedAt"
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
            verification_sessions
          WHERE
            ended_at IS NULL
            AND created_at >= $1
            AND created_at < $2
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
            verification_sessions
          WHERE
            ended_at IS NOT NULL
            AND error_message IS NULL
            AND created_at >= $4
            AND created_at < $5
          ORDER BY
            created_at DESC,
            id DESC
          LIMIT
            $6
        )
        UNION ALL
        (
          SELECT
            id,
            created_at
          FROM
            verification_sessions
          WHERE
            ended_at IS NOT NULL
            AND error_message IS NOT NULL
            AND created_at >= $7
            AND created_at < $8
          ORDER BY
            created_at DESC,
            id DESC
          LIMIT
            $9
        )
      ) AS parts
    ORDER BY
      created_at DESC,
      id DESC
    LIMIT
      $10
  ) AS k
  JOIN verification_sessions s ON s.id = k.id
ORDER BY
  k.created_at DESC,
  k.id DESC

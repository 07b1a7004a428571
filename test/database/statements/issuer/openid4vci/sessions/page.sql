SELECT
  x.id,
  x.created_by AS "createdBy",
  x.state,
  x.error_message AS "errorMessage",
  x.deferred,
  o.configuration_ids AS "configurationIds",
  o.issuer_id AS "issuerId",
  x.created_at AS "createdAt",
  x.expires_at AS "expiresAt",
  o.claims_erased_at AS "claimsErasedAt",
  o.names,
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
            unnest($1::TEXT[]) AS states (state)
            CROSS JOIN LATERAL (
              SELECT
                x.id,
                x.created_at
              FROM
                credential_offer_sessions x
              WHERE
                x.state = states.state
              ORDER BY
                x.created_at DESC,
                x.id DESC
              LIMIT
                $2
            ) newest
        )
      ) AS parts
    ORDER BY
      created_at DESC,
      id DESC
    LIMIT
      $3
  ) AS k
  JOIN credential_offer_sessions x ON x.id = k.id
  JOIN offerings o ON o.id = x.id
ORDER BY
  k.created_at DESC,
  k.id DESC

SELECT
  o.id,
  o.credential_subject AS "credentialSubject",
  NULL::text AS "subjectKey",
  o.recipient,
  o.redemption_limit AS "redemptionLimit",
  o.expires_at AS "expiresAt",
  o.created_at AS "createdAt",
  o.claims_erased_at AS "claimsErasedAt",
  s.name AS "schemaName",
  (
    s.mdoc IS NOT NULL
    AND EXISTS (
      SELECT
        1
      FROM
        issuers d
        JOIN LATERAL (
          SELECT
            *
          FROM
            keys
          WHERE
            keys.key_set_id = d.key_set_id
            AND keys.retired_at IS NULL
          ORDER BY
            keys.created_at DESC,
            keys.id DESC
          LIMIT
            1
        ) k ON TRUE
      WHERE
        k.x5c IS NOT NULL
        AND d.id = o.issuer_id
    )
  ) AS "asMdoc",
  s.title AS "schemaTitle",
  s.display AS "schemaDisplay",
  o.names,
  NULL::text AS "namesKey"
FROM
  offerings o
  JOIN schemas s ON s.id = o.schema_id
WHERE
  NOT o.is_session
  AND NOT o.of_authorization
ORDER BY
  o.created_at DESC,
  o.id DESC
LIMIT
  $1

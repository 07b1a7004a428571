SELECT
  s.id,
  s.name,
  s.version,
  s.body,
  s.title,
  s.description,
  s.display,
  s.claims,
  s.selectively_disclosable AS "selectivelyDisclosable",
  s.expires_in_days AS "expiresInDays",
  s.claims_from AS "claimsFrom",
  s.key_attestation AS "keyAttestation",
  s.mdoc,
  s.suspendable,
  s.active_sets AS "activeSets",
  s.on_refresh AS "onRefresh",
  s.valid_from AS "validFrom",
  s.watch_attestations AS "watchAttestations",
  s.retention,
  s.claims_source AS "claimsSource",
  s.created_at AS "createdAt",
  s.withdrawn_at IS NOT NULL AS withdrawn,
  s.withdrawn_at IS NULL
  AND NOT EXISTS (
    SELECT
      1
    FROM
      schemas newer
    WHERE
      newer.name = s.name
      AND newer.version > s.version
      AND newer.withdrawn_at IS NULL
  ) AS active,
  ARRAY(
    SELECT
      a.issuer_id
    FROM
      schema_issuers a
    WHERE
      a.schema_id = s.id
    ORDER BY
      a.created_at,
      a.issuer_id
  ) AS issuers,
  i.id AS "issuerId",
  i.did AS "issuerDid",
  k.id AS "keyId",
  k.public_jwk AS "publicJwk",
  k.x5c
FROM
  (
    SELECT
      $1::text AS name
  ) q
  JOIN LATERAL (
    SELECT
      *
    FROM
      schemas
    WHERE
      schemas.name = q.name
      AND withdrawn_at IS NULL
    ORDER BY
      version DESC
    LIMIT
      1
  ) s ON TRUE
  JOIN LATERAL (
    SELECT
      i.*
    FROM
      issuers i
      LEFT JOIN schema_issuers a ON a.schema_id = s.id
      AND a.issuer_id = i.id
    WHERE
      (
        a.issuer_id IS NOT NULL
        OR NOT EXISTS (
          SELECT
            1
          FROM
            schema_issuers x
          WHERE
            x.schema_id = s.id
        )
      )
      AND (
        i.is_default
        OR a.issuer_id IS NOT NULL
      )
    ORDER BY
      i.is_default DESC,
      a.created_at,
      i.id
    LIMIT
      1
  ) i ON TRUE
  JOIN LATERAL (
    SELECT
      *
    FROM
      keys
    WHERE
      keys.key_set_id = i.key_set_id
      AND keys.retired_at IS NULL
    ORDER BY
      keys.created_at DESC,
      keys.id DESC
    LIMIT
      1
  ) k ON TRUE

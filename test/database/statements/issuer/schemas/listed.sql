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
  (
    s.mdoc IS NOT NULL
    AND CASE
      WHEN EXISTS (
        SELECT
          1
        FROM
          schema_issuers a
        WHERE
          a.schema_id = s.id
      ) THEN EXISTS (
        SELECT
          1
        FROM
          schema_issuers a
          JOIN issuers d ON d.id = a.issuer_id
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
          AND a.schema_id = s.id
      )
      ELSE EXISTS (
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
      )
    END
  ) AS "asMdoc"
FROM
  (
    SELECT DISTINCT
      ON (name) *
    FROM
      schemas
    WHERE
      withdrawn_at IS NULL
      OR offered_until > $1
    ORDER BY
      name,
      withdrawn_at IS NOT NULL,
      version DESC
  ) s
ORDER BY
  s.name

SELECT
  m.kind,
  m.id,
  m.name,
  m.created_at AS "createdAt"
FROM
  (
    SELECT
      'credential_types' AS kind,
      name AS id,
      name,
      created_at
    FROM
      credential_types
    WHERE
      created_by = $1
    UNION ALL
    SELECT
      'schemas',
      id,
      name,
      created_at
    FROM
      schemas
    WHERE
      created_by = $2
    UNION ALL
    SELECT
      'issuers',
      id,
      did,
      created_at
    FROM
      issuers
    WHERE
      created_by = $3
    UNION ALL
    SELECT
      'verifiers',
      id,
      did,
      created_at
    FROM
      verifiers
    WHERE
      created_by = $4
    UNION ALL
    SELECT
      'trusted_issuers',
      id,
      issuer,
      created_at
    FROM
      trusted_issuers
    WHERE
      created_by = $5
    UNION ALL
    SELECT
      'trust_lists',
      id,
      url,
      created_at
    FROM
      trust_lists
    WHERE
      created_by = $6
    UNION ALL
    SELECT
      'registration_certificates',
      id,
      subject,
      created_at
    FROM
      registration_certificates
    WHERE
      created_by = $7
    UNION ALL
    SELECT
      'images',
      image_id,
      NULL,
      created_at
    FROM
      image_uploads
    WHERE
      uploader = $8
    UNION ALL
    SELECT
      'webhooks',
      id,
      url,
      created_at
    FROM
      webhooks
    WHERE
      created_by = $9
    UNION ALL
    SELECT
      'pages',
      id,
      NULL,
      created_at
    FROM
      pages
    WHERE
      made_by = $10
  ) m
WHERE
  TRUE
ORDER BY
  m.created_at DESC,
  m.id DESC
LIMIT
  $11

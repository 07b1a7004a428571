SELECT
  ARRAY(
    SELECT DISTINCT
      k.alg
    FROM
      issuers i
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
    ORDER BY
      k.alg DESC
  ) AS algorithms,
  ARRAY(
    SELECT DISTINCT
      CASE
        WHEN i.signing = 'delegated'
        AND k.x5c IS NOT NULL THEN 'ES256'
        ELSE k.alg
      END AS alg
    FROM
      issuers i
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
    ORDER BY
      alg DESC
  ) AS "chainAlgorithms",
  ARRAY(
    SELECT DISTINCT
      CASE
        WHEN i.signing = 'delegated'
        AND k.x5c IS NOT NULL THEN 'ES256'
        ELSE k.alg
      END
    FROM
      issuers i
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
    WHERE
      k.x5c IS NOT NULL
  ) AS "certifiedAlgorithms",
  (
    SELECT
      k.public_jwk
    FROM
      key_sets s
      JOIN LATERAL (
        SELECT
          *
        FROM
          keys
        WHERE
          keys.key_set_id = s.id
          AND keys.retired_at IS NULL
        ORDER BY
          keys.created_at DESC,
          keys.id DESC
        LIMIT
          1
      ) k ON TRUE
    WHERE
      s.id = $1
  ) AS "encryptionKey"

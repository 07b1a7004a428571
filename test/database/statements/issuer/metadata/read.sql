SELECT
  encode(
    sha256(
      convert_to(
        json_build_array(
          ARRAY(
            SELECT
              ARRAY[
                s.id,
                s.xmin::text,
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
                )::text
              ]
            FROM
              (
                SELECT DISTINCT
                  ON (name) id,
                  name,
                  mdoc,
                  xmin
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
          ),
          ARRAY(
            SELECT DISTINCT
              ARRAY[k.alg, i.signing, (k.x5c IS NOT NULL)::text]
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
              1
          ),
          ARRAY(
            SELECT
              ARRAY[
                i.id,
                i.xmin::text,
                k.id,
                (
                  SELECT
                    xmin::text
                  FROM
                    keys
                  WHERE
                    keys.id = k.id
                )
              ]
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
              i.is_default
          ),
          ARRAY(
            SELECT
              ARRAY[
                k.id,
                (
                  SELECT
                    xmin::text
                  FROM
                    keys
                  WHERE
                    keys.id = k.id
                )
              ]
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
              s.id = $2
          ),
          ARRAY(
            SELECT
              ARRAY[
                r.id,
                r.status,
                r.failed_check,
                (r.ends_at <= $3)::text
              ]
            FROM
              registration_certificates r
            WHERE
              r.issuer_id IS NOT NULL
            ORDER BY
              r.id
          )
        )::text,
        'UTF8'
      )
    ),
    'base64'
  ) AS state

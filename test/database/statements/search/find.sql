SELECT
  *
FROM
  (
    (
      SELECT
        'type' AS kind,
        t.id,
        t.created_at AS "createdAt",
        t.name AS type,
        t.title AS name,
        t.place,
        NULL::json AS "dcqlQuery",
        NULL::json AS names,
        NULL::text AS "namesKey"
      FROM
        (
          SELECT
            s.id,
            s.created_at,
            s.name,
            s.title,
            CASE
              WHEN s.id = $1
              OR s.name = $2 THEN 0
              ELSE 1
            END AS place
          FROM
            schemas s
          WHERE
            s.id = $3
            OR (
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
              )
              AND (
                starts_with(
                  lower(normalize(s.name, NFKC)),
                  lower(normalize($4::text, NFKC))
                )
                OR starts_with(
                  lower(normalize(s.title, NFKC)),
                  lower(normalize($5::text, NFKC))
                )
                OR EXISTS (
                  SELECT
                    1
                  FROM
                    jsonb_array_elements(s.display) AS shown (entry)
                  WHERE
                    starts_with(
                      lower(normalize(entry ->> 'name', NFKC)),
                      lower(normalize($6::text, NFKC))
                    )
                )
              )
            )
          ORDER BY
            place,
            s.created_at DESC,
            s.id DESC
          LIMIT
            $7
        ) AS t
    )
    UNION ALL
    (
      SELECT
        'offer',
        o.id,
        o.created_at,
        s.name,
        NULL::text,
        k.place,
        NULL::json AS "dcqlQuery",
        o.names,
        NULL::text AS "namesKey"
      FROM
        (
          SELECT
            id,
            created_at,
            min(place) AS place
          FROM
            (
              (
                SELECT
                  n.id,
                  n.created_at,
                  0 AS place
                FROM
                  offerings n
                  JOIN credential_offer_sessions x ON x.id = n.id
                WHERE
                  n.id = $8
              )
              UNION ALL
              (
                SELECT
                  n.id,
                  n.created_at,
                  1
                FROM
                  offerings n
                  JOIN credential_offer_sessions x ON x.id = n.id
                WHERE
                  TRUE
                  AND n.reference_hash = $9
                ORDER BY
                  n.created_at DESC,
                  n.id DESC
                LIMIT
                  $10
              )
              UNION ALL
              (
                SELECT
                  n.id,
                  n.created_at,
                  2
                FROM
                  offerings n
                  JOIN credential_offer_sessions x ON x.id = n.id
                WHERE
                  TRUE
                  AND n.label_hashes @> ARRAY[$11]
                ORDER BY
                  n.created_at DESC,
                  n.id DESC
                LIMIT
                  $12
              )
            ) AS parts
          GROUP BY
            id,
            created_at
          ORDER BY
            min(place),
            created_at DESC,
            id DESC
          LIMIT
            $13
        ) AS k
        JOIN offerings o ON o.id = k.id
        JOIN schemas s ON s.id = o.schema_id
    )
    UNION ALL
    (
      SELECT
        'credential',
        c.id,
        c.created_at,
        s.name,
        NULL::text,
        k.place,
        NULL::json AS "dcqlQuery",
        c.names,
        NULL::text AS "namesKey"
      FROM
        (
          SELECT
            id,
            created_at,
            min(place) AS place
          FROM
            (
              (
                SELECT
                  n.id,
                  n.created_at,
                  0 AS place
                FROM
                  credentials n
                WHERE
                  n.id = $14
              )
              UNION ALL
              (
                SELECT
                  n.id,
                  n.created_at,
                  1
                FROM
                  credentials n
                WHERE
                  TRUE
                  AND n.reference_hash = $15
                ORDER BY
                  n.created_at DESC,
                  n.id DESC
                LIMIT
                  $16
              )
              UNION ALL
              (
                SELECT
                  n.id,
                  n.created_at,
                  2
                FROM
                  credentials n
                WHERE
                  TRUE
                  AND n.label_hashes @> ARRAY[$17]
                ORDER BY
                  n.created_at DESC,
                  n.id DESC
                LIMIT
                  $18
              )
            ) AS parts
          GROUP BY
            id,
            created_at
          ORDER BY
            min(place),
            created_at DESC,
            id DESC
          LIMIT
            $19
        ) AS k
        JOIN credentials c ON c.id = k.id
        JOIN schemas s ON s.id = c.schema_id
    )
    UNION ALL
    (
      SELECT
        'request',
        v.id,
        v.created_at,
        NULL::text,
        NULL::text,
        k.place,
        CASE
          WHEN octet_length(v.dcql_query::text) <= $20 THEN v.dcql_query
        END AS "dcqlQuery",
        v.names,
        NULL::text AS "namesKey"
      FROM
        (
          SELECT
            id,
            created_at,
            min(place) AS place
          FROM
            (
              (
                SELECT
                  n.id,
                  n.created_at,
                  0 AS place
                FROM
                  verification_sessions n
                WHERE
                  n.id = $21
              )
              UNION ALL
              (
                SELECT
                  n.id,
                  n.created_at,
                  1
                FROM
                  verification_sessions n
                WHERE
                  TRUE
                  AND n.reference_hash = $22
                ORDER BY
                  n.created_at DESC,
                  n.id DESC
                LIMIT
                  $23
              )
              UNION ALL
              (
                SELECT
                  n.id,
                  n.created_at,
                  2
                FROM
                  verification_sessions n
                WHERE
                  TRUE
                  AND n.label_hashes @> ARRAY[$24]
                ORDER BY
                  n.created_at DESC,
                  n.id DESC
                LIMIT
                  $25
              )
            ) AS parts
          GROUP BY
            id,
            created_at
          ORDER BY
            min(place),
            created_at DESC,
            id DESC
          LIMIT
            $26
        ) AS k
        JOIN verification_sessions v ON v.id = k.id
    )
    UNION ALL
    (
      SELECT
        'wallet',
        h.id,
        h.created_at,
        NULL::text,
        h.name,
        k.place,
        NULL::json AS "dcqlQuery",
        NULL::json AS names,
        NULL::text AS "namesKey"
      FROM
        (
          SELECT
            id,
            created_at,
            min(place) AS place
          FROM
            (
              (
                SELECT
                  n.id,
                  n.created_at,
                  0 AS place
                FROM
                  holders n
                WHERE
                  n.id = $27
                  AND n.created_by = $28
              )
              UNION ALL
              (
                SELECT
                  n.id,
                  n.created_at,
                  1
                FROM
                  holders n
                WHERE
                  n.created_by = $29
                  AND starts_with(
                    lower(normalize(n.name, NFKC)),
                    lower(normalize($30::text, NFKC))
                  )
                ORDER BY
                  n.created_at DESC,
                  n.id DESC
                LIMIT
                  $31
              )
            ) AS parts
          GROUP BY
            id,
            created_at
          ORDER BY
            min(place),
            created_at DESC,
            id DESC
          LIMIT
            $32
        ) AS k
        JOIN holders h ON h.id = k.id
    )
    UNION ALL
    (
      SELECT
        'vpQuery',
        q.id,
        q.created_at,
        NULL::text,
        q.name,
        k.place,
        NULL::json AS "dcqlQuery",
        NULL::json AS names,
        NULL::text AS "namesKey"
      FROM
        (
          SELECT
            id,
            created_at,
            min(place) AS place
          FROM
            (
              (
                SELECT
                  n.id,
                  n.created_at,
                  0 AS place
                FROM
                  vp_queries n
                WHERE
                  n.id = $33
              )
              UNION ALL
              (
                SELECT
                  n.id,
                  n.created_at,
                  1
                FROM
                  vp_queries n
                WHERE
                  n.name IS NOT NULL
                  AND starts_with(
                    lower(normalize(n.name, NFKC)),
                    lower(normalize($34::text, NFKC))
                  )
                ORDER BY
                  n.created_at DESC,
                  n.id DESC
                LIMIT
                  $35
              )
            ) AS parts
          GROUP BY
            id,
            created_at
          ORDER BY
            min(place),
            created_at DESC,
            id DESC
          LIMIT
            $36
        ) AS k
        JOIN vp_queries q ON q.id = k.id
    )
  ) AS found (
    kind,
    id,
    "createdAt",
    type,
    name,
    place,
    "dcqlQuery",
    names,
    "namesKey"
  )
ORDER BY
  kind,
  place,
  "createdAt" DESC,
  id DESC

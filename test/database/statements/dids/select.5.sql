SELECT
  d.did,
  d.method,
  d.uuid,
  d.purpose,
  d.created_by AS "createdBy",
  d.key_set_id AS "keySetId",
  d.holder_id AS "holderId",
  d.created_at AS "createdAt",
  (
    SELECT
      coalesce(
        json_agg(
          json_build_object('id', k.id, 'publicJwk', k.public_jwk)
          ORDER BY
            k.created_at DESC,
            k.id DESC
        ),
        '[]'
      )
    FROM
      keys k
    WHERE
      k.key_set_id = d.key_set_id
      AND (
        d.key_id IS NULL
        OR k.id = d.key_id
      )
  ) AS keys,
  ARRAY(
    SELECT
      o.did
    FROM
      dids o
    WHERE
      o.key_set_id = d.key_set_id
      AND o.did <> d.did
    ORDER BY
      o.did
  ) AS "alsoKnownAs"
FROM
  dids d
WHERE
  d.created_by = $1
ORDER BY
  d.created_at DESC,
  d.did DESC
LIMIT
  $2

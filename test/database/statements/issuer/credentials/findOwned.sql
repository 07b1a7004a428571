SELECT
  c.id,
  c.vc,
  NULL::text AS "vcKey"
FROM
  credentials c
WHERE
  c.id = $1
  AND (
    c.owner = $2
    OR c.holder_did = ANY ($3::TEXT[])
    OR EXISTS (
      SELECT
        1
      FROM
        dids d
        JOIN holders h ON h.id = d.holder_id
      WHERE
        d.did = c.holder_did
        AND h.created_by = $4
    )
  )

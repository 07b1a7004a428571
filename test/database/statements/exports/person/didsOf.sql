SELECT DISTINCT
  did
FROM
  (
    SELECT
      d.did
    FROM
      dids d
      JOIN holders h ON h.id = d.holder_id
    WHERE
      h.created_by = $1
    UNION ALL
    SELECT
      r.recipient_did
    FROM
      redemptions r
    WHERE
      r.redeemed_by = $2
      AND r.recipient_did IS NOT NULL
    UNION ALL
    SELECT
      unnest(a.user_dids)
    FROM
      authorizations a
    WHERE
      hashtextextended (a.user_sub, 0) = hashtextextended ($3, 0)
      AND a.user_sub = $4
  ) AS known (did)
ORDER BY
  did
LIMIT
  $5

SELECT
  k.id,
  k.wrapping,
  k.wrapped,
  k.active_at <= now() AS "isActive",
  k.retired_at IS NOT NULL AS "isRetired",
  EXISTS (
    SELECT
      1
    FROM
      encryption_progress p
    WHERE
      p.key_id = k.id
      OR k.id = ANY (p.former_key_ids)
  ) AS "isNeeded",
  COALESCE(
    k.retired_at < now() - make_interval(secs => $1),
    FALSE
  ) AS "isOld"
FROM
  envelope_keys k
ORDER BY
  k.active_at DESC,
  k.id
LIMIT
  $2

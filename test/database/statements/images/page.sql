SELECT
  images.id,
  images.media_type AS "mediaType",
  images.width,
  images.height,
  octet_length(images.bytes) AS size,
  (
    SELECT
      count(*)::int
    FROM
      (
        SELECT
          1
        FROM
          image_uses u
        WHERE
          u.image_id = images.id
        LIMIT
          $1
      ) u
  ) AS uses,
  images.touched_at AS "touchedAt",
  images.created_at AS "createdAt"
FROM
  images
WHERE
  TRUE
ORDER BY
  images.created_at DESC,
  images.id DESC
LIMIT
  $2

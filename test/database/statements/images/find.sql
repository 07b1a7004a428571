SELECT
  media_type AS "mediaType",
  bytes
FROM
  images
WHERE
  id = $1

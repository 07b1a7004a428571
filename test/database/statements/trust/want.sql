INSERT INTO
  trust_list_documents AS d (id, url, due_at, wanted_at)
SELECT
  w.id,
  w.url,
  $1::timestamptz,
  $2::timestamptz
FROM
  unnest($3::TEXT[], $4::TEXT[]) AS w (id, url)
ON CONFLICT (id) DO UPDATE
SET
  wanted_at = $5::timestamptz
WHERE
  d.wanted_at < $6::timestamptz

WITH
  "free" AS (
    SELECT
      images.id,
      FALSE AS shared
    FROM
      images
    WHERE
      images.id = $1
      AND TRUE
      AND NOT EXISTS (
        SELECT
          1
        FROM
          image_uses u
        WHERE
          u.image_id = images.id
      )
    FOR UPDATE
  ),
  "upload" AS (
    DELETE FROM image_uploads p USING "free" f
    WHERE
      p.image_id = f.id
      AND f.shared
      AND p.uploader = $2
  ),
  "removed" AS (
    DELETE FROM images i USING "free" f
    WHERE
      i.id = f.id
      AND NOT f.shared
    RETURNING
      i.id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $3,
      $4,
      $5,
      "removed"."id"
    FROM
      "removed"
  )
SELECT
  EXISTS (
    SELECT
      1
    FROM
      "free"
  ) AS removed,
  EXISTS (
    SELECT
      1
    FROM
      images
    WHERE
      images.id = $6
      AND TRUE
  ) AS known,
  coalesce(
    (
      SELECT
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
                $7
            ) u
        )
      FROM
        images
      WHERE
        images.id = $8
    ),
    0
  ) AS uses

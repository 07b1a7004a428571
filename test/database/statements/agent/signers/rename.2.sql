WITH
  "renamed" AS (
    UPDATE verifiers r
    SET
      display = $1::jsonb
    WHERE
      r.id = $2
      AND (
        r.created_by = $3
        OR r.is_default
      )
      AND coalesce(r.display, '[]'::jsonb) = $4::jsonb
    RETURNING
      r.id
  ),
  "dropped" AS (
    DELETE FROM image_uses u USING "renamed" c
    WHERE
      u.used_by = $5
      AND u.used_by_id = c.id
      AND NOT u.image_id = ANY ($6::TEXT[])
    RETURNING
      u.image_id
  ),
  "touched" AS (
    UPDATE images i
    SET
      touched_at = $7
    FROM
      "dropped" d
    WHERE
      i.id = d.image_id
  ),
  "uses" AS (
    INSERT INTO
      image_uses (image_id, used_by, used_by_id)
    SELECT
      i.id,
      $8,
      c.id
    FROM
      "renamed" c,
      unnest($9::TEXT[]) i (id)
    ON CONFLICT DO NOTHING
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $10,
      $11,
      $12,
      "renamed"."id"
    FROM
      "renamed"
  )
SELECT
  EXISTS (
    SELECT
      1
    FROM
      verifiers r
    WHERE
      r.id = $13
      AND (
        r.created_by = $14
        OR r.is_default
      )
  ) AS found,
  EXISTS (
    SELECT
      1
    FROM
      "renamed"
  ) AS done

WITH
  "added" AS (
    INSERT INTO
      registration_certificates (
        id,
        verifier_id,
        certificate,
        fingerprint,
        subject,
        intended_use,
        issued_at,
        ends_at,
        from_file,
        status,
        checked_at,
        failed_check,
        failure,
        due_at,
        created_by
      )
    SELECT
      $1,
      $2,
      $3,
      $4,
      $5,
      $6,
      $7::timestamptz,
      $8::timestamptz,
      $9,
      $10,
      $11::timestamptz,
      $12,
      $13,
      $14::timestamptz,
      $15
    WHERE
      (
        SELECT
          count(*)
        FROM
          registration_certificates c
        WHERE
          c.verifier_id = $16
      ) < $17
    ON CONFLICT (verifier_id, fingerprint) DO NOTHING
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $18,
      $19,
      $20,
      "added"."id"
    FROM
      "added"
  )
SELECT
  EXISTS (
    SELECT
      1
    FROM
      "added"
  ) AS added,
  EXISTS (
    SELECT
      1
    FROM
      registration_certificates c
    WHERE
      c.verifier_id = $21
      AND c.fingerprint = $22
  ) AS known

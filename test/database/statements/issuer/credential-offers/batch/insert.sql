WITH
  "batch" AS (
    INSERT INTO
      offer_batches AS b (id, created_by, name, size, created_at)
    VALUES
      ($1, $2, $3, $4::int, $5)
    ON CONFLICT (id) DO UPDATE
    SET
      size = b.size + EXCLUDED.size
    WHERE
      b.created_by = EXCLUDED.created_by
      AND b.cancelled_at IS NULL
      AND b.size + EXCLUDED.size <= $6::int
    RETURNING
      b.id,
      b.size - $7::int AS before
  ),
  "given" AS (
    SELECT
      g.*,
      "batch"."id" AS "batchId",
      "batch"."before" + g."row" AS "batchRow"
    FROM
      "batch",
      jsonb_to_recordset($8::jsonb) AS g (
        "row" int,
        "id" text,
        "schemaId" text,
        "issuerId" text,
        "subject" text,
        "recipient" text,
        "redemptionLimit" int,
        "expiresAt" timestamptz,
        "configurationIds" TEXT[],
        "grant" text,
        "forSubject" text,
        "deferred" boolean,
        "profile" text,
        "createdAt" timestamptz,
        "key" text,
        "requestHash" text,
        "createdBy" text,
        "txCode" jsonb,
        "txCodeHash" text,
        "confidential" text,
        "walletUrl" text,
        "firstView" jsonb,
        "pageId" text,
        "pageExpiresAt" timestamptz,
        "claimsDueAt" timestamptz,
        "names" text,
        "referenceHash" text,
        "labelHashes" TEXT[],
        "claimsAtIssuance" boolean,
        "expiresInDays" int,
        "validFrom" timestamptz
      )
  ),
  "offering" AS (
    INSERT INTO
      offerings (
        id,
        schema_id,
        issuer_id,
        credential_subject,
        recipient,
        redemption_limit,
        expires_at,
        created_at,
        configuration_ids,
        is_session,
        "grant",
        for_subject,
        deferred,
        profile,
        of_authorization,
        claims_due_at,
        names,
        reference_hash,
        label_hashes,
        claims_at_issuance,
        expires_in_days,
        valid_from,
        batch_id,
        batch_row
      )
    SELECT
      "id",
      "schemaId",
      "issuerId",
      "subject"::json,
      "recipient",
      "redemptionLimit",
      "expiresAt",
      "createdAt",
      "configurationIds",
      TRUE,
      "grant",
      "forSubject",
      "deferred",
      "profile",
      FALSE,
      "claimsDueAt",
      "names"::json,
      "referenceHash",
      "labelHashes",
      "claimsAtIssuance",
      "expiresInDays",
      "validFrom",
      "batchId",
      "batchRow"
    FROM
      "given"
  ),
  "session" AS (
    INSERT INTO
      credential_offer_sessions (
        id,
        created_by,
        tx_code,
        tx_code_hash,
        confidential,
        wallet_url,
        created_at,
        expires_at,
        first_view
      )
    SELECT
      "id",
      "createdBy",
      NULLIF("txCode", 'null'::jsonb),
      "txCodeHash",
      "confidential"::json,
      "walletUrl",
      "createdAt",
      "expiresAt",
      "firstView"
    FROM
      "given"
  ),
  "keyed" AS (
    INSERT INTO
      credential_offer_keys (created_by, key, request_hash, session_id)
    SELECT
      "createdBy",
      "key",
      "requestHash",
      "id"
    FROM
      "given"
    ORDER BY
      "key"
  ),
  "paged" AS (
    INSERT INTO
      pages (
        id,
        kind,
        offering_id,
        made_by,
        type_names,
        in_qr_code,
        created_at,
        expires_at
      )
    SELECT
      "pageId",
      'receive',
      "id",
      "createdBy",
      '{}',
      TRUE,
      "createdAt",
      "pageExpiresAt"
    FROM
      "given"
    WHERE
      "pageId" IS NOT NULL
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      "given"."createdBy",
      $9,
      $10,
      "given"."id"
    FROM
      "given"
  )
SELECT
  "batch"."id"
FROM
  "batch"

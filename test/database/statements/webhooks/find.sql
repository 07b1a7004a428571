SELECT
  w.id,
  w.url,
  w.events,
  w.description,
  w.payload,
  w.signature,
  w.active
  AND w.disabled_at IS NULL AS active,
  w.public_key AS "publicKey",
  w.created_by AS "createdBy",
  w.created_at AS "createdAt",
  w.disabled_at AS "disabledAt",
  w.failing_since AS "failingSince",
  w.last_success_at AS "lastSuccessAt",
  w.last_error AS "lastError",
  w.last_error_at AS "lastErrorAt",
  w.secret
FROM
  webhooks w
WHERE
  w.id = $1
  AND TRUE

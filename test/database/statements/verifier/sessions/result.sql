SELECT
  state,
  error_message AS "errorMessage",
  created_by AS "createdBy",
  require_response_code AS "requireResponseCode",
  ended_at AS "endedAt",
  claims_erased_at AS "claimsErasedAt",
  result,
  NULL::text AS "resultKey",
  discarded,
  response_code_hash AS "responseCodeHash",
  response_code_used_at AS "responseCodeUsedAt"
FROM
  verification_sessions
WHERE
  id = $1

SELECT
  p.texts,
  NULL::text AS "textsKey",
  p.browser_hash AS "browserHash",
  s.response_code_hash AS "responseCodeHash",
  s.state,
  s.error_message AS "errorMessage",
  s.redirect_uri AS "redirectUri",
  s.require_response_code AS "requireResponseCode",
  json_build_object('display', v.display, 'branding', v.branding) AS verifier
FROM
  pages p
  JOIN verification_sessions s ON s.id = p.verification_session_id
  LEFT JOIN verifiers v ON v.did = s.verifier_id
WHERE
  p.id = $1

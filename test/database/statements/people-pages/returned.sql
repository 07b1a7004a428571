SELECT
  COALESCE(
    p.texts,
    CASE
      WHEN p.title IS NULL
      AND p.text IS NULL THEN NULL
      ELSE json_build_object('title', p.title, 'text', p.text)
    END
  ) AS texts,
  NULL::text AS "textsKey",
  p.browser_hash AS "browserHash",
  s.response_code_hash AS "responseCodeHash",
  s.state,
  s.error_message AS "errorMessage",
  s.redirect_uri AS "redirectUri",
  s.require_response_code AS "requireResponseCode",
  v.display AS "verifierDisplay"
FROM
  pages p
  JOIN verification_sessions s ON s.id = p.verification_session_id
  LEFT JOIN verifiers v ON v.did = s.verifier_id
WHERE
  p.id = $1

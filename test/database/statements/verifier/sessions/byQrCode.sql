SELECT
  s.id,
  s.first_view ->> 'authorizationRequestUri' AS "authorizationRequestUri",
  s.wallet_url AS "walletUrl",
  p.id AS "pageId"
FROM
  verification_sessions s
  LEFT JOIN pages p ON p.verification_session_id = s.id
  AND p.in_qr_code
WHERE
  s.qr_code_id = $1

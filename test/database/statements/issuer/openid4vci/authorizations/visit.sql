UPDATE authorizations
SET
  state = CASE
    WHEN browser_hash IS NOT DISTINCT FROM $1 THEN state
    ELSE $2
  END,
  user_sub = CASE
    WHEN browser_hash IS NOT DISTINCT FROM $3 THEN user_sub
    ELSE $4
  END,
  user_dids = CASE
    WHEN browser_hash IS NOT DISTINCT FROM $5 THEN user_dids
    ELSE '{}'
  END,
  login = CASE
    WHEN browser_hash IS NOT DISTINCT FROM $6 THEN login
  END,
  user_claims = CASE
    WHEN browser_hash IS NOT DISTINCT FROM $7 THEN user_claims
  END,
  expires_at = CASE
    WHEN browser_hash IS NULL THEN $8
    ELSE expires_at
  END,
  browser_hash = $9
WHERE
  request_uri_hash = $10
  AND client_id = $11
  AND expires_at > $12
  AND state = ANY ($13::TEXT[])
RETURNING
  id,
  state,
  parameters,
  dpop_jkt AS "dpopJkt",
  instance_jkt AS "instanceJkt",
  request_uri_hash IS NOT NULL AS pushed,
  offering_id AS "offeringId",
  EXISTS (
    SELECT
      1
    FROM
      offerings f
    WHERE
      f.id = authorizations.offering_id
      AND f.claims_at_issuance
  ) AS "claimsAtIssuance",
  login,
  user_sub AS "userSub",
  user_dids AS "userDids",
  user_claims AS "userClaims",
  code_expires_at AS "codeExpiresAt",
  expires_at AS "expiresAt"

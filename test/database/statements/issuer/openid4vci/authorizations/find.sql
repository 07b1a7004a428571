SELECT
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
FROM
  authorizations
WHERE
  id = $1
  AND browser_hash = $2

SELECT
  a.id,
  a.client_id AS "clientId",
  a.offering_id AS "offeringId",
  a.state,
  a.user_sub AS "userSub",
  a.user_dids AS "userDids",
  a.user_claims AS "userClaims",
  a.credential_id AS "credentialId",
  ARRAY(
    SELECT
      d.configuration_id
    FROM
      deferred_issuances d
    WHERE
      d.authorization_id = a.id
    ORDER BY
      1
  ) AS "waitingFor",
  a.created_at AS "createdAt",
  a.expires_at AS "expiresAt"
FROM
  authorizations a
WHERE
  hashtextextended (a.user_sub, 0) = hashtextextended ($1, 0)
  AND a.user_sub = $2
ORDER BY
  a.created_at DESC,
  a.id DESC
LIMIT
  $3

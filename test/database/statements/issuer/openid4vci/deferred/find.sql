SELECT
  configuration_id AS "configurationId",
  keys,
  statuses
FROM
  deferred_issuances
WHERE
  transaction_hash = $1
  AND authorization_id = $2

SELECT
  CASE
    WHEN total <= $1 THEN body
  END AS body,
  CASE
    WHEN total <= $2 THEN selectively_disclosable
  END AS "selectivelyDisclosable"
FROM
  (
    SELECT
      body,
      selectively_disclosable,
      sum(
        octet_length(body::text) + coalesce(octet_length(selectively_disclosable::text), 0)
      ) OVER (
        ORDER BY
          version DESC
      ) AS total
    FROM
      (
        SELECT
          *
        FROM
          schemas
        WHERE
          name = $3
        ORDER BY
          version DESC
        LIMIT
          $4
      ) newest
  ) summed

SELECT
  erase_session ($1, $2, $3) AS at

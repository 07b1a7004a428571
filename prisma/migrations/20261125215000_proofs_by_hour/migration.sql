-- The jti of a proof counts once whatever its iat is: the rows of proofs expire at the end of an hour from now on, with a second row
-- for the next hour where the end is near. Proofs that were used within the last minutes get these rows too.
INSERT INTO "used_nonces" ("hash", "expires_at")
SELECT "hash", date_trunc('hour', "moment", 'UTC') + interval '1 hour' - interval '1 millisecond'
FROM "used_nonces", LATERAL (VALUES ("expires_at"), ("expires_at" + interval '420 seconds')) AS "moments"("moment")
WHERE "expires_at" > now() - interval '5 minutes'
ON CONFLICT DO NOTHING;

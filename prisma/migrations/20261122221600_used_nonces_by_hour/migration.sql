-- Partitions by the hour in which a nonce expires by itself, so that its repeat comes to the same one.
ALTER TABLE "used_nonces" RENAME TO "used_nonces_former";
ALTER TABLE "used_nonces_former" DROP CONSTRAINT "used_nonces_pkey";
DROP INDEX "used_nonces_expires_at_idx";

CREATE TABLE "used_nonces" (
    "hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_nonces_pkey" PRIMARY KEY ("hash", "expires_at")
) PARTITION BY RANGE ("expires_at");

CREATE TABLE "used_nonces_default" PARTITION OF "used_nonces" DEFAULT;
CREATE INDEX "used_nonces_default_expires_at_idx" ON "used_nonces_default" ("expires_at");

-- Rows from before are the first partition. Their moments followed from the use, not from the nonce: there a hash counts
-- once whatever its moment, until no nonce of that time is good any more. So it does for the codes that were used.
DO $$
DECLARE
  "since" timestamptz := date_trunc('hour', now(), 'UTC');
BEGIN
  IF EXISTS (SELECT 1 FROM "used_nonces_former") OR EXISTS (SELECT 1 FROM "issuance_tokens") THEN
    SELECT date_trunc('hour', GREATEST(max("expires_at"), now() + interval '20 minutes'), 'UTC') + interval '1 hour'
    INTO "since" FROM "used_nonces_former";
    CREATE UNIQUE INDEX "used_nonces_former_hash_key" ON "used_nonces_former" ("hash");
    INSERT INTO "used_nonces_former" ("hash", "expires_at")
    SELECT "jti", now() + interval '15 minutes' FROM "issuance_tokens" WHERE "expires_at" > now() - interval '15 minutes';
    EXECUTE format(
      'ALTER TABLE "used_nonces" ATTACH PARTITION "used_nonces_former" FOR VALUES FROM (MINVALUE) TO (%L)', "since");
  ELSE
    DROP TABLE "used_nonces_former";
  END IF;
  FOR i IN 0..23 LOOP
    PERFORM "make_partition"('used_nonces', "since" + i * interval '1 hour', "since" + (i + 1) * interval '1 hour');
  END LOOP;
END $$;

-- A code that was used is one of them.
ALTER TABLE "issuance_tokens" DROP COLUMN "jti";

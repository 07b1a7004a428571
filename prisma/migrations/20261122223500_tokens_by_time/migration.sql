-- Partitions of four hours by when a token expires. It refers to its offering and its authorization without foreign keys: what
-- reads a token joins both, and a token whose offering or authorization is gone is none.
ALTER TABLE "issuance_tokens" RENAME TO "issuance_tokens_former";
ALTER TABLE "issuance_tokens_former" DROP CONSTRAINT "issuance_tokens_pkey",
  DROP CONSTRAINT "issuance_tokens_offering_id_fkey",
  DROP CONSTRAINT "issuance_tokens_authorization_id_fkey";
DROP INDEX "issuance_tokens_offering_id_idx", "issuance_tokens_authorization_id_idx", "issuance_tokens_expires_at_idx";

CREATE TABLE "issuance_tokens" (
    LIKE "issuance_tokens_former" INCLUDING ALL,

    CONSTRAINT "issuance_tokens_pkey" PRIMARY KEY ("token_hash", "expires_at")
) PARTITION BY RANGE ("expires_at");

-- Those that end together. Most tokens have no authorization.
CREATE INDEX "issuance_tokens_authorization_id_idx" ON "issuance_tokens" ("authorization_id") WHERE "authorization_id" IS NOT NULL;

CREATE TABLE "issuance_tokens_default" PARTITION OF "issuance_tokens" DEFAULT;
CREATE INDEX "issuance_tokens_default_expires_at_idx" ON "issuance_tokens_default" ("expires_at");

-- Rows from before are the first partition.
DO $$
DECLARE
  "origin" timestamptz := '2000-01-01T00:00:00Z';
  "since" timestamptz := date_bin('4 hours', now(), "origin");
BEGIN
  IF EXISTS (SELECT 1 FROM "issuance_tokens_former") THEN
    SELECT date_bin('4 hours', GREATEST(max("expires_at"), now() + interval '70 minutes'), "origin") + interval '4 hours'
    INTO "since" FROM "issuance_tokens_former";
    EXECUTE format(
      'ALTER TABLE "issuance_tokens" ATTACH PARTITION "issuance_tokens_former" FOR VALUES FROM (MINVALUE) TO (%L)', "since");
  ELSE
    DROP TABLE "issuance_tokens_former";
  END IF;
  FOR i IN 0..2 LOOP
    PERFORM "make_partition"('issuance_tokens', "since" + i * interval '4 hours', "since" + (i + 1) * interval '4 hours');
  END LOOP;
END $$;

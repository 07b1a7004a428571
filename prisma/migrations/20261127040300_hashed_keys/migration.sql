-- Whether the key of a row is a keyed hash. The keys of versions before 0.2.0 are in the clear, and their offers are in no batch. The
-- maintenance job replaces these keys.
ALTER TABLE "credential_offer_keys" ADD COLUMN "hashed" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "credential_offer_keys" ALTER COLUMN "hashed" SET DEFAULT true;
UPDATE "credential_offer_keys" k SET "hashed" = true FROM "offerings" o WHERE o."id" = k."session_id" AND o."batch_id" IS NOT NULL;

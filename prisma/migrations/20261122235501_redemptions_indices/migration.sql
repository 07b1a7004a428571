-- A redemption is of one credential, which tells it from others; its own random id is shown and never asked for.
ALTER TABLE "redemptions" DROP CONSTRAINT "redemptions_pkey";
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_pkey" PRIMARY KEY USING INDEX "redemptions_credential_id_key";

-- Wallets redeem as nobody.
DROP INDEX "redemptions_redeemed_by_idx";
CREATE INDEX "redemptions_redeemed_by_idx" ON "redemptions" ("redeemed_by") WHERE "redeemed_by" IS NOT NULL;

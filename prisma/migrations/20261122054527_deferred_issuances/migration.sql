-- AlterTable
ALTER TABLE "authorizations" ADD COLUMN     "redemption_counted" BOOLEAN NOT NULL DEFAULT false,
ALTER COLUMN "client_id" DROP NOT NULL,
ALTER COLUMN "parameters" DROP NOT NULL;

-- AlterTable
ALTER TABLE "credential_offer_sessions" ADD COLUMN     "deferred" TEXT;

-- AlterTable
ALTER TABLE "offerings" ADD COLUMN     "deferred" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "deferred_issuances" (
    "transaction_hash" TEXT NOT NULL,
    "authorization_id" TEXT NOT NULL,
    "configuration_id" TEXT NOT NULL,
    "keys" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deferred_issuances_pkey" PRIMARY KEY ("transaction_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "deferred_issuances_authorization_id_configuration_id_key" ON "deferred_issuances"("authorization_id", "configuration_id");

-- AddForeignKey
ALTER TABLE "deferred_issuances" ADD CONSTRAINT "deferred_issuances_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What was taken until now was counted as it was taken.
UPDATE "authorizations" SET "redemption_counted" = true WHERE "credential_id" IS NOT NULL;

-- DropIndex
DROP INDEX "pages_verification_session_id_key";

-- AlterTable
ALTER TABLE "pages" ADD COLUMN     "in_qr_code" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "on_demand" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE UNIQUE INDEX "pages_verification_session_id_on_demand_key" ON "pages"("verification_session_id", "on_demand");

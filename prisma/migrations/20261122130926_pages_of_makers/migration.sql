-- DropIndex
DROP INDEX "pages_offering_id_key";

-- AlterTable
ALTER TABLE "pages" ADD COLUMN     "made_by" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "pages_offering_id_made_by_key" ON "pages"("offering_id", "made_by");

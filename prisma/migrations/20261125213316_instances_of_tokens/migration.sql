-- AlterTable
ALTER TABLE "issuance_tokens" DROP COLUMN "taken",
ADD COLUMN     "issued_count" INTEGER NOT NULL DEFAULT 0;

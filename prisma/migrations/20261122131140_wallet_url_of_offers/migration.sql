-- AlterTable
ALTER TABLE "credential_offer_sessions" ADD COLUMN     "wallet_url" TEXT;

-- AlterTable
ALTER TABLE "pages" DROP COLUMN "wallet_url";

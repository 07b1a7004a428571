-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN     "verifier_info" JSON,
ADD COLUMN     "wallet_url" TEXT;

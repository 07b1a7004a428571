-- AlterTable
ALTER TABLE "issuance_tokens" ADD COLUMN     "dpop_jkt" TEXT,
ADD COLUMN     "scope" TEXT[] DEFAULT ARRAY[]::TEXT[];

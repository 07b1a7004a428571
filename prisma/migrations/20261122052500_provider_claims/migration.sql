-- AlterTable
ALTER TABLE "authorizations" ADD COLUMN     "user_claims" TEXT;

-- AlterTable
ALTER TABLE "offerings" ADD COLUMN     "of_authorization" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "schemas" ADD COLUMN     "claims_from" JSONB;

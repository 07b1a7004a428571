-- AlterTable
ALTER TABLE "schemas" ADD COLUMN     "key_attestation" JSONB;

-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN     "verifier_attestation" TEXT;

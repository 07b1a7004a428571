-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN     "require_response_code" BOOLEAN NOT NULL DEFAULT false;

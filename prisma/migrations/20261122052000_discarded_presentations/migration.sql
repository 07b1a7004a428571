-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN     "discarded" JSON;

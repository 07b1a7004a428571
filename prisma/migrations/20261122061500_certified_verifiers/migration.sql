-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN     "x5c" JSON;

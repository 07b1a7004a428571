-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN     "profile" TEXT NOT NULL DEFAULT 'final';

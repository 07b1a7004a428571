-- AlterTable
ALTER TABLE "offerings" ADD COLUMN     "profile" TEXT NOT NULL DEFAULT 'final';

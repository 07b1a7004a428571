-- AlterTable
ALTER TABLE "vp_queries" ADD COLUMN     "purpose" TEXT;

-- AlterTable
ALTER TABLE "keys" ADD COLUMN     "x5c" JSONB;

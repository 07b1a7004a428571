-- AlterTable
ALTER TABLE "credentials" ALTER COLUMN "vc" SET DATA TYPE JSON USING "vc"::json;

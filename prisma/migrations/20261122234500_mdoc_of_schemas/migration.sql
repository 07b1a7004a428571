-- AlterTable
ALTER TABLE "schemas" ADD COLUMN "mdoc" JSON;

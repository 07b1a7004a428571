-- AlterTable
ALTER TABLE "trust_lists" ADD COLUMN "service_types" JSON;

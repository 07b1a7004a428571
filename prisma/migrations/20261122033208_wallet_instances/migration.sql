-- AlterTable
ALTER TABLE "authorizations" ADD COLUMN     "instance_jkt" TEXT;

-- AlterTable
ALTER TABLE "refresh_tokens" ADD COLUMN     "instance_jkt" TEXT;

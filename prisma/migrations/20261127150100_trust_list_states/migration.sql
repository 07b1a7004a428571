-- AlterTable
ALTER TABLE "trust_list_documents" ADD COLUMN     "noted_state" TEXT;

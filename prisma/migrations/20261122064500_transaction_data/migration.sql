-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN     "transaction_data" JSON;

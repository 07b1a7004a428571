-- AlterTable
ALTER TABLE "offerings" ALTER COLUMN "credential_subject" SET DATA TYPE JSON USING "credential_subject"::json;

-- AlterTable
ALTER TABLE "schemas" ALTER COLUMN "body" SET DATA TYPE JSON USING "body"::json;

-- AlterTable
ALTER TABLE "credential_offer_sessions" ADD COLUMN     "confidential" JSON,
ADD COLUMN     "link_number" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "issuance_tokens" ADD COLUMN     "link_number" INTEGER NOT NULL DEFAULT 0;

-- A content key ends with its row.
CREATE TRIGGER forget_content_keys AFTER DELETE ON credential_offer_sessions
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_content_keys();

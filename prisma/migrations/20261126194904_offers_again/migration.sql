-- AlterTable
ALTER TABLE "credential_offer_sessions" ADD COLUMN     "confidential" JSON,
ADD COLUMN     "link_number" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "issuance_tokens" ADD COLUMN     "link_number" INTEGER NOT NULL DEFAULT 0;

-- A content key ends with its row.
CREATE TRIGGER forget_content_keys AFTER DELETE ON credential_offer_sessions
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_content_keys();

-- The transaction code, or the reason of a cancelled offer, ends with the claims of the offer.
CREATE FUNCTION forget_confidential() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE credential_offer_sessions SET confidential = NULL WHERE id = NEW.id AND confidential IS NOT NULL;
  DELETE FROM content_keys WHERE row_id = NEW.id AND column_name = 'credential_offer_sessions.confidential';
  RETURN NULL;
END $$;

CREATE TRIGGER forget_confidential AFTER UPDATE ON offerings FOR EACH ROW
WHEN (OLD.claims_erased_at IS NULL AND NEW.claims_erased_at IS NOT NULL) EXECUTE FUNCTION forget_confidential();

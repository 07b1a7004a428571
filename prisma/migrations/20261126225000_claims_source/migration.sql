-- The issuers' own systems that are asked for claims.
ALTER TABLE "schemas" ADD COLUMN "claims_source" JSONB;
CREATE TABLE "claims_sources" (
  "schema_id" TEXT NOT NULL,
  "secret" TEXT NOT NULL,
  "last_success_at" TIMESTAMPTZ(3),
  "last_failure_at" TIMESTAMPTZ(3),
  "last_failure" TEXT,
  CONSTRAINT "claims_sources_pkey" PRIMARY KEY ("schema_id"),
  CONSTRAINT "claims_sources_schema_id_fkey" FOREIGN KEY ("schema_id") REFERENCES "schemas"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
ALTER TABLE "offerings" ADD COLUMN "claims_at_issuance" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "deferred_issuances" ADD COLUMN "asked_at" TIMESTAMPTZ(3);

-- An authorization for such an offering keeps the claims of the sign-in, for the claims source. They are erased with the claims
-- of the offering.
CREATE FUNCTION forget_sign_in() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE authorizations SET user_claims = NULL WHERE offering_id = NEW.id AND user_claims IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_sign_in AFTER UPDATE OF claims_erased_at ON offerings FOR EACH ROW
WHEN (OLD.claims_erased_at IS NULL AND NEW.claims_erased_at IS NOT NULL AND NEW.claims_at_issuance) EXECUTE FUNCTION forget_sign_in();

-- A session has a message in Error. Before its first credential, it may also have one: the last answer of the claims source could
-- not be used.
ALTER TABLE "credential_offer_sessions" DROP CONSTRAINT "credential_offer_sessions_error_message_check";
ALTER TABLE "credential_offer_sessions" ADD CONSTRAINT "credential_offer_sessions_error_message_check" CHECK (
  CASE WHEN "error_message" IS NULL THEN "state" <> 'Error' ELSE "state" IN ('Error', 'TokenIssued') END) NOT VALID;

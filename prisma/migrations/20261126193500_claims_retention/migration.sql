-- AlterTable
ALTER TABLE "credentials" ADD COLUMN     "claims_due_at" TIMESTAMPTZ(3),
ADD COLUMN     "record_due_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "offerings" ADD COLUMN     "claims_due_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "schemas" ADD COLUMN     "retention" JSONB;

-- Deletes the texts of the pages of an offering or of a verification session, with their content keys.
CREATE FUNCTION forget_page_texts("of_offering" TEXT, "of_session" TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  WITH pages_of AS (
    UPDATE pages p SET texts = NULL, title = NULL, text = NULL
    WHERE (p.offering_id = of_offering OR p.verification_session_id = of_session)
      AND (p.texts IS NOT NULL OR p.title IS NOT NULL OR p.text IS NOT NULL)
    RETURNING p.id)
  DELETE FROM content_keys k USING pages_of WHERE k.row_id = pages_of.id AND k.column_name = 'pages.texts';
END $$;

-- The content keys of a row end with its claims: also keys that were stored while the erasure waited. The texts of pages end with
-- the claims of their offering or session.
CREATE FUNCTION forget_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM content_keys k WHERE k.row_id = NEW.id AND k.column_name LIKE TG_TABLE_NAME || '.%';
  IF TG_TABLE_NAME = 'offerings' THEN
    PERFORM forget_page_texts(NEW.id, NULL);
  ELSIF TG_TABLE_NAME = 'verification_sessions' THEN
    PERFORM forget_page_texts(NULL, NEW.id);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER forget_claims AFTER UPDATE ON credentials FOR EACH ROW
WHEN (OLD.claims_erased_at IS NULL AND NEW.claims_erased_at IS NOT NULL) EXECUTE FUNCTION forget_claims();

CREATE TRIGGER forget_claims AFTER UPDATE ON offerings FOR EACH ROW
WHEN (OLD.claims_erased_at IS NULL AND NEW.claims_erased_at IS NOT NULL) EXECUTE FUNCTION forget_claims();

CREATE TRIGGER forget_claims AFTER UPDATE ON verification_sessions FOR EACH ROW
WHEN (OLD.claims_erased_at IS NULL AND NEW.claims_erased_at IS NOT NULL) EXECUTE FUNCTION forget_claims();

-- Erases the claims of a credential, or of an offering, at once. An offering with one redemption and its credential have the same
-- claims, so both are erased. The offering is locked first: an issuance from it has either stored its credential, which the next
-- statement sees, or finds the claims erased. A repeated call changes nothing. Returns when the claims were erased.
CREATE FUNCTION erase_claims("of_credential" TEXT, "of_offering" TEXT, "moment" TIMESTAMPTZ, "erased_by" TEXT) RETURNS TIMESTAMPTZ
LANGUAGE plpgsql AS $$
DECLARE
  offers TEXT[];
  issued TEXT[];
BEGIN
  offers := ARRAY(
    SELECT of_offering WHERE of_offering IS NOT NULL
    UNION
    SELECT o.id FROM redemptions r JOIN offerings o ON o.id = r.offering_id
    WHERE r.credential_id = of_credential AND o.redemption_limit = 1);
  PERFORM 1 FROM offerings o WHERE o.id = ANY(offers) FOR NO KEY UPDATE;
  issued := ARRAY(
    SELECT of_credential WHERE of_credential IS NOT NULL
    UNION
    SELECT r.credential_id FROM redemptions r JOIN offerings o ON o.id = r.offering_id
    WHERE r.offering_id = ANY(offers) AND o.redemption_limit = 1);
  WITH erased AS (
    UPDATE credentials c SET vc = NULL, claims_erased_at = moment, claims_due_at = NULL
    WHERE c.id = ANY(issued) AND c.claims_erased_at IS NULL RETURNING c.id)
  INSERT INTO audit_events (actor, action, subject, subject_id)
  SELECT erased_by, 'credential.claims_erased', 'credential', id FROM erased;
  WITH erased AS (
    UPDATE offerings o SET credential_subject = NULL, claims_erased_at = moment, claims_due_at = NULL
    WHERE o.id = ANY(offers) AND o.claims_erased_at IS NULL RETURNING o.id)
  INSERT INTO audit_events (actor, action, subject, subject_id)
  SELECT erased_by, 'offering.claims_erased', 'offering', id FROM erased;
  RETURN COALESCE(
    (SELECT c.claims_erased_at FROM credentials c WHERE c.id = of_credential),
    (SELECT o.claims_erased_at FROM offerings o WHERE o.id = of_offering));
END $$;

-- Erases the result and the evidence of a verification session at once, with the texts of its page. A session that is open gets no
-- result later. A repeated call changes nothing. Returns when the result was erased; null for an unknown session.
CREATE FUNCTION erase_session("of_session" TEXT, "moment" TIMESTAMPTZ, "erased_by" TEXT) RETURNS TIMESTAMPTZ
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM verification_sessions s WHERE s.id = of_session FOR NO KEY UPDATE;
  WITH erased AS (
    UPDATE verification_sessions s SET result = NULL, discarded = NULL, claims_erased_at = moment
    WHERE s.id = of_session AND s.claims_erased_at IS NULL RETURNING s.id),
  evidence AS (
    DELETE FROM verification_evidence e WHERE e.id = of_session RETURNING e.id)
  INSERT INTO audit_events (actor, action, subject, subject_id)
  SELECT erased_by, 'verification-session.claims_erased', 'verification-session', id
  FROM (SELECT id FROM erased UNION SELECT id FROM evidence) changed;
  PERFORM forget_page_texts(NULL, of_session);
  RETURN (SELECT s.claims_erased_at FROM verification_sessions s WHERE s.id = of_session);
END $$;

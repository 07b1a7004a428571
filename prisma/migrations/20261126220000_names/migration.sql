-- AlterTable
ALTER TABLE "credentials" ADD COLUMN     "label_hashes" TEXT[],
ADD COLUMN     "names" JSON,
ADD COLUMN     "reference_hash" TEXT;

-- AlterTable
ALTER TABLE "holders" ADD COLUMN     "name" TEXT;

-- AlterTable
ALTER TABLE "offerings" ADD COLUMN     "label_hashes" TEXT[],
ADD COLUMN     "names" JSON,
ADD COLUMN     "reference_hash" TEXT;

-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN     "label_hashes" TEXT[],
ADD COLUMN     "names" JSON,
ADD COLUMN     "reference_hash" TEXT;

-- AlterTable
ALTER TABLE "vp_queries" ADD COLUMN     "name" TEXT;

-- Names stay as long as their row, also after the retention of its claims, so that lists find the record. An erasure on request ends
-- them, and with them their content key and hashes.
CREATE FUNCTION forget_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM content_keys k WHERE k.row_id = NEW.id AND k.column_name = TG_TABLE_NAME || '.names';
  RETURN NULL;
END $$;

CREATE TRIGGER forget_names AFTER UPDATE OF names ON credentials FOR EACH ROW
WHEN (OLD.names IS NOT NULL AND NEW.names IS NULL) EXECUTE FUNCTION forget_names();

CREATE TRIGGER forget_names AFTER UPDATE OF names ON offerings FOR EACH ROW
WHEN (OLD.names IS NOT NULL AND NEW.names IS NULL) EXECUTE FUNCTION forget_names();

CREATE TRIGGER forget_names AFTER UPDATE OF names ON verification_sessions FOR EACH ROW
WHEN (OLD.names IS NOT NULL AND NEW.names IS NULL) EXECUTE FUNCTION forget_names();

CREATE OR REPLACE FUNCTION forget_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM content_keys k
  WHERE k.row_id = NEW.id AND k.column_name LIKE TG_TABLE_NAME || '.%' AND k.column_name <> TG_TABLE_NAME || '.names';
  IF TG_TABLE_NAME = 'offerings' THEN
    PERFORM forget_page_texts(NEW.id, NULL);
  ELSIF TG_TABLE_NAME = 'verification_sessions' THEN
    PERFORM forget_page_texts(NULL, NEW.id);
  END IF;
  RETURN NULL;
END $$;

-- As before, and it ends the names too: also the names of rows whose claims were erased before.
CREATE OR REPLACE FUNCTION erase_claims("of_credential" TEXT, "of_offering" TEXT, "moment" TIMESTAMPTZ, "erased_by" TEXT) RETURNS TIMESTAMPTZ
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
    UPDATE credentials c SET vc = NULL, claims_erased_at = COALESCE(c.claims_erased_at, moment), claims_due_at = NULL,
      names = NULL, reference_hash = NULL, label_hashes = NULL
    WHERE c.id = ANY(issued) AND (c.claims_erased_at IS NULL OR c.names IS NOT NULL) RETURNING c.id)
  INSERT INTO audit_events (actor, action, subject, subject_id)
  SELECT erased_by, 'credential.claims_erased', 'credential', id FROM erased;
  WITH erased AS (
    UPDATE offerings o SET credential_subject = NULL, claims_erased_at = COALESCE(o.claims_erased_at, moment), claims_due_at = NULL,
      names = NULL, reference_hash = NULL, label_hashes = NULL
    WHERE o.id = ANY(offers) AND (o.claims_erased_at IS NULL OR o.names IS NOT NULL) RETURNING o.id)
  INSERT INTO audit_events (actor, action, subject, subject_id)
  SELECT erased_by, 'offering.claims_erased', 'offering', id FROM erased;
  RETURN COALESCE(
    (SELECT c.claims_erased_at FROM credentials c WHERE c.id = of_credential),
    (SELECT o.claims_erased_at FROM offerings o WHERE o.id = of_offering));
END $$;

-- As before, and it ends the names of the session too.
CREATE OR REPLACE FUNCTION erase_session("of_session" TEXT, "moment" TIMESTAMPTZ, "erased_by" TEXT) RETURNS TIMESTAMPTZ
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM verification_sessions s WHERE s.id = of_session FOR NO KEY UPDATE;
  WITH erased AS (
    UPDATE verification_sessions s SET result = NULL, discarded = NULL, claims_erased_at = COALESCE(s.claims_erased_at, moment),
      names = NULL, reference_hash = NULL, label_hashes = NULL
    WHERE s.id = of_session AND (s.claims_erased_at IS NULL OR s.names IS NOT NULL) RETURNING s.id),
  evidence AS (
    DELETE FROM verification_evidence e WHERE e.id = of_session RETURNING e.id)
  INSERT INTO audit_events (actor, action, subject, subject_id)
  SELECT erased_by, 'verification-session.claims_erased', 'verification-session', id
  FROM (SELECT id FROM erased UNION SELECT id FROM evidence) changed;
  PERFORM forget_page_texts(NULL, of_session);
  RETURN (SELECT s.claims_erased_at FROM verification_sessions s WHERE s.id = of_session);
END $$;

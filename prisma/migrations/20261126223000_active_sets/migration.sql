-- Types that limit the active sets of a subject, types whose refreshes revoke earlier instances, and the validity of credentials.
ALTER TABLE "schemas" ADD COLUMN "active_sets" JSONB,
ADD COLUMN "on_refresh" TEXT,
ADD COLUMN "valid_from" TIMESTAMPTZ(3);
ALTER TABLE "offerings" ADD COLUMN "expires_in_days" INTEGER,
ADD COLUMN "valid_from" TIMESTAMPTZ(3);
ALTER TABLE "credentials" ADD COLUMN "subject_hash" TEXT,
ADD COLUMN "superseded_by" TEXT,
ADD COLUMN "valid_from" TIMESTAMPTZ(3),
ADD COLUMN "expires_at" TIMESTAMPTZ(3),
ADD COLUMN "expired_at" TIMESTAMPTZ(3);
ALTER TABLE "credential_instances" ADD COLUMN "generation" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "issuance_tokens" ADD COLUMN "generation" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "authorizations" ADD COLUMN "generation" INTEGER NOT NULL DEFAULT 0;

-- Revokes the active credentials of a subject, because the credential "successor" replaces them. Returns their number.
--
-- The statement that calls this function inserts the successor in the same transaction. The lock is held until its end. So of
-- several issuances for a subject, each sees and revokes the credential of the one before. Every call locks the row of its
-- offering first and the subject afterwards, so two calls never wait for each other.
CREATE FUNCTION "retire_active_sets"("of_subject" TEXT, "successor" TEXT, "moment" TIMESTAMPTZ, "retired_by" TEXT) RETURNS INTEGER
LANGUAGE plpgsql AS $$
DECLARE
  former TEXT;
  retired INTEGER := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(of_subject, 0));
  FOR former IN
    SELECT c.id FROM credentials c WHERE c.subject_hash = of_subject AND c.revoked_at IS NULL AND c.id <> successor ORDER BY c.id
  LOOP
    IF change_credential_status(former, 'revoke', moment, retired_by, 'superseded', NULL) = 'changed' THEN
      UPDATE credentials c SET superseded_by = successor WHERE c.id = former;
      DELETE FROM content_keys k WHERE k.row_id = former AND k.column_name = 'credentials.status_note';
      retired := retired + 1;
    END IF;
  END LOOP;
  RETURN retired;
END
$$;

-- Revokes the instances of one configuration of a credential that were issued before a refresh, gives their status lists a new
-- version, and writes the audit row. The caller has locked the credential. Returns the number of instances.
CREATE FUNCTION "retire_instances"(
  "of_credential" TEXT, "of_configuration" TEXT, "current_generation" INTEGER, "moment" TIMESTAMPTZ) RETURNS INTEGER
LANGUAGE plpgsql AS $$
DECLARE
  lists TEXT[];
  retired INTEGER;
BEGIN
  WITH instances AS (
    UPDATE credential_instances i SET revoked_at = moment
    WHERE i.credential_id = of_credential AND i.configuration_id = of_configuration AND i.generation < current_generation
      AND i.revoked_at IS NULL
    RETURNING i.status_list_id)
  SELECT array_agg(DISTINCT status_list_id), count(*)::int INTO lists, retired FROM instances;
  IF retired > 0 THEN
    PERFORM 1 FROM status_lists l WHERE l.id = ANY(lists) ORDER BY l.id FOR NO KEY UPDATE;
    UPDATE status_lists l SET version = l.version + 1 WHERE l.id = ANY(lists);
    INSERT INTO audit_events (actor, action, subject, subject_id, detail)
    VALUES (NULL, 'credential.instances_revoked', 'credential', of_credential,
      jsonb_build_object('reason', 'superseded', 'configurationId', of_configuration, 'count', retired));
  END IF;
  RETURN retired;
END
$$;

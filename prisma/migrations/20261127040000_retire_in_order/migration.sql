-- As before, but all earlier credentials of the subject change together, with the function that status jobs use. So the status lists
-- are locked once, in the order of their ids, after the credentials. Before, the lists of each credential were locked in turn, and two
-- transactions that changed the same lists could wait for each other.
CREATE OR REPLACE FUNCTION "retire_active_sets"("of_subject" TEXT, "successor" TEXT, "moment" TIMESTAMPTZ, "retired_by" TEXT) RETURNS INTEGER
LANGUAGE plpgsql AS $$
DECLARE
  former TEXT[];
  retired TEXT[];
  told TEXT[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(of_subject, 0));
  former := ARRAY(
    SELECT c.id FROM credentials c WHERE c.subject_hash = of_subject AND c.revoked_at IS NULL AND c.id <> successor);
  IF former = '{}' THEN
    RETURN 0;
  END IF;
  SELECT r.changed, r.lists INTO retired, told
  FROM change_credential_statuses(former, 'revoke', moment, retired_by, 'superseded', NULL) r;
  UPDATE credentials c SET superseded_by = successor WHERE c.id = ANY(retired);
  PERFORM 1 FROM status_lists l WHERE l.id = ANY(told) ORDER BY l.id FOR NO KEY UPDATE;
  UPDATE status_lists l SET version = l.version + 1 WHERE l.id = ANY(told);
  RETURN cardinality(retired);
END
$$;

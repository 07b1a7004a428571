-- Revokes a credential and every instance of it, tells its status lists, and writes the audit row. A second time nothing
-- changes. The record is locked by a statement of its own before: what a wallet takes at that moment would otherwise be
-- recorded too late to be seen, and stay good. As a function it takes one round trip, and so holds the lock on a status
-- list, which every revocation on that list waits for, no longer than it must.
CREATE FUNCTION "revoke_credential"("credential" TEXT, "moment" TIMESTAMPTZ, "revoked_by" TEXT) RETURNS BOOLEAN
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM credentials c WHERE c.id = credential FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  WITH revoked AS (
    UPDATE credentials c SET revoked_at = moment WHERE c.id = credential AND c.revoked_at IS NULL RETURNING c.id),
  instances AS (
    UPDATE credential_instances i SET revoked_at = moment FROM revoked
    WHERE i.credential_id = revoked.id AND i.revoked_at IS NULL RETURNING i.status_list_id),
  lists AS (
    UPDATE status_lists SET version = version + 1
    WHERE id IN (SELECT id FROM status_lists WHERE id IN (SELECT status_list_id FROM instances) ORDER BY id FOR NO KEY UPDATE))
  INSERT INTO audit_events (actor, action, subject, subject_id)
  SELECT revoked_by, 'credential.revoked', 'credential', id FROM revoked;
  RETURN true;
END
$$;

-- Reserves up to so many entries of an open status list of a key: of the oldest one that nobody else is reserving from at
-- this moment. Where all are held, another one is opened as long as fewer than "most_open" have room, else it waits for one of
-- them. It always reserves at least one entry, and none twice, also beside versions that count "allotted" up themselves.
--
-- A list is locked by one statement and counted up by the next one. In one statement two of these would wait for each other
-- for ever, where somebody else's foreign key holds the row (FOR KEY SHARE) at that moment.
CREATE FUNCTION "reserve_status_indices"(
  "of_key" TEXT, "of_issuer" TEXT, "new_id" TEXT, "new_size" INTEGER, "wanted" INTEGER, "most_open" INTEGER,
  OUT "list_id" TEXT, OUT "list_size" INTEGER, OUT "first" INTEGER, OUT "past" INTEGER)
LANGUAGE plpgsql AS $$
DECLARE
  alone BOOLEAN := false;
BEGIN
  LOOP
    SELECT l.id, l.size, l.allotted INTO list_id, list_size, first
    FROM status_lists l WHERE l.key_id = of_key AND l.allotted < l.size
    ORDER BY l.created_at, l.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
    IF most_open <= (SELECT count(*) FROM status_lists l WHERE l.key_id = of_key AND l.allotted < l.size) THEN
      SELECT l.id, l.size, l.allotted INTO list_id, list_size, first
      FROM status_lists l WHERE l.key_id = of_key AND l.allotted < l.size
      ORDER BY random() LIMIT 1 FOR NO KEY UPDATE;
      EXIT WHEN FOUND;
    ELSIF alone THEN
      INSERT INTO status_lists (id, key_id, issuer_id, size) VALUES (new_id, of_key, of_issuer, new_size)
      RETURNING id, size, allotted INTO list_id, list_size, first;
      EXIT;
    ELSE
      -- Of those that find none free at the same moment one opens another. The others then look again.
      PERFORM 1 FROM keys k WHERE k.id = of_key FOR NO KEY UPDATE;
      alone := true;
    END IF;
  END LOOP;
  past := LEAST(list_size, first + wanted);
  UPDATE status_lists l SET allotted = past WHERE l.id = list_id;
END
$$;

-- As before, but that the lists of a revoked credential are locked by one statement and told by the next one, for the same reason.
CREATE OR REPLACE FUNCTION "revoke_credential"("credential" TEXT, "moment" TIMESTAMPTZ, "revoked_by" TEXT) RETURNS BOOLEAN
LANGUAGE plpgsql AS $$
DECLARE
  told TEXT[];
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
  audited AS (
    INSERT INTO audit_events (actor, action, subject, subject_id)
    SELECT revoked_by, 'credential.revoked', 'credential', id FROM revoked)
  SELECT array_agg(DISTINCT status_list_id) INTO told FROM instances;
  PERFORM 1 FROM status_lists l WHERE l.id = ANY(told) ORDER BY l.id FOR NO KEY UPDATE;
  UPDATE status_lists l SET version = l.version + 1 WHERE l.id = ANY(told);
  RETURN true;
END
$$;

-- Types whose credentials can be suspended, and the entries of their status lists.
ALTER TABLE "schemas" ADD COLUMN "suspendable" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "status_lists" ADD COLUMN "bits" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "status_lists" ADD CONSTRAINT "status_lists_bits_check" CHECK ("bits" IN (1, 2));
ALTER TABLE "credentials" ADD COLUMN "suspended_at" TIMESTAMPTZ(3),
ADD COLUMN "status_reason" TEXT,
ADD COLUMN "status_note" JSON;
ALTER TABLE "credential_instances" ADD COLUMN "suspended_at" TIMESTAMPTZ(3);

-- Reserves up to "wanted" entries of an open status list of a key, in a list whose entries have "entry_bits" bits. It uses the
-- oldest list that no other statement has locked. If all lists are locked, it opens another list while fewer than "most_open"
-- have room. Otherwise it waits for a list. It reserves at least one entry, and no entry twice.
--
-- One statement locks a list, and the next statement counts its entries. In one statement, two calls could wait for each other
-- for ever if a foreign key of another statement holds the row (FOR KEY SHARE).
CREATE FUNCTION "reserve_status_indices"(
  "of_key" TEXT, "of_issuer" TEXT, "new_id" TEXT, "new_size" INTEGER, "wanted" INTEGER, "most_open" INTEGER, "entry_bits" INTEGER,
  OUT "list_id" TEXT, OUT "list_size" INTEGER, OUT "first" INTEGER, OUT "past" INTEGER)
LANGUAGE plpgsql AS $$
DECLARE
  alone BOOLEAN := false;
BEGIN
  LOOP
    SELECT l.id, l.size, l.allotted INTO list_id, list_size, first
    FROM status_lists l WHERE l.key_id = of_key AND l.bits = entry_bits AND l.allotted < l.size
    ORDER BY l.created_at, l.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
    IF most_open <= (
      SELECT count(*) FROM status_lists l WHERE l.key_id = of_key AND l.bits = entry_bits AND l.allotted < l.size) THEN
      SELECT l.id, l.size, l.allotted INTO list_id, list_size, first
      FROM status_lists l WHERE l.key_id = of_key AND l.bits = entry_bits AND l.allotted < l.size
      ORDER BY random() LIMIT 1 FOR NO KEY UPDATE;
      EXIT WHEN FOUND;
    ELSIF alone THEN
      INSERT INTO status_lists (id, key_id, issuer_id, size, bits) VALUES (new_id, of_key, of_issuer, new_size, entry_bits)
      RETURNING id, size, allotted INTO list_id, list_size, first;
      EXIT;
    ELSE
      -- Of the calls that find no free list at the same time, one opens a list. The others then look again.
      PERFORM 1 FROM keys k WHERE k.id = of_key FOR NO KEY UPDATE;
      alone := true;
    END IF;
  END LOOP;
  past := LEAST(list_size, first + wanted);
  UPDATE status_lists l SET allotted = past WHERE l.id = list_id;
END
$$;

-- Processes of the version before reserve entries of one bit.
CREATE OR REPLACE FUNCTION "reserve_status_indices"(
  "of_key" TEXT, "of_issuer" TEXT, "new_id" TEXT, "new_size" INTEGER, "wanted" INTEGER, "most_open" INTEGER,
  OUT "list_id" TEXT, OUT "list_size" INTEGER, OUT "first" INTEGER, OUT "past" INTEGER)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT r.list_id, r.list_size, r.first, r.past INTO list_id, list_size, first, past
  FROM reserve_status_indices(of_key, of_issuer, new_id, new_size, wanted, most_open, 1) r;
END
$$;

-- Suspends, reinstates or revokes a credential with all its instances, gives its status lists a new version, and writes the audit
-- row. A revoked credential stays revoked. The result is 'changed', 'unchanged' (a repeat), 'unknown', 'revoked' or
-- 'not-suspendable'. Only 'changed' writes something.
--
-- The credential is locked by a statement of its own. The next statement then sees the instances that a wallet took meanwhile.
-- The status lists are locked before they change, in the order of their ids.
CREATE FUNCTION "change_credential_status"(
  "credential" TEXT, "change" TEXT, "moment" TIMESTAMPTZ, "changed_by" TEXT, "because" TEXT, "note" JSON) RETURNS TEXT
LANGUAGE plpgsql AS $$
DECLARE
  revoked TIMESTAMPTZ;
  suspended TIMESTAMPTZ;
  action_name TEXT;
  told TEXT[];
BEGIN
  SELECT c.revoked_at, c.suspended_at INTO revoked, suspended FROM credentials c WHERE c.id = credential FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN 'unknown';
  END IF;
  IF change = 'revoke' THEN
    IF revoked IS NOT NULL THEN
      RETURN 'unchanged';
    END IF;
    revoked := moment;
    action_name := 'credential.revoked';
  ELSE
    IF revoked IS NOT NULL THEN
      RETURN 'revoked';
    END IF;
    IF NOT EXISTS (SELECT 1 FROM credentials c JOIN schemas s ON s.id = c.schema_id WHERE c.id = credential AND s.suspendable)
      OR EXISTS (
        SELECT 1 FROM credential_instances i JOIN status_lists l ON l.id = i.status_list_id
        WHERE i.credential_id = credential AND l.bits < 2) THEN
      RETURN 'not-suspendable';
    END IF;
    IF (change = 'suspend') = (suspended IS NOT NULL) THEN
      RETURN 'unchanged';
    END IF;
    suspended := CASE WHEN change = 'suspend' THEN moment END;
    action_name := CASE WHEN change = 'suspend' THEN 'credential.suspended' ELSE 'credential.reinstated' END;
  END IF;
  UPDATE credentials c SET revoked_at = revoked, suspended_at = suspended, status_reason = because, status_note = note
  WHERE c.id = credential;
  WITH instances AS (
    UPDATE credential_instances i SET revoked_at = revoked, suspended_at = suspended
    WHERE i.credential_id = credential AND i.revoked_at IS NULL RETURNING i.status_list_id),
  audited AS (
    -- Changes that waited for each other are in their order. now() is the time before the wait.
    INSERT INTO audit_events (at, actor, action, subject, subject_id, detail)
    VALUES (clock_timestamp(), changed_by, action_name, 'credential', credential,
      CASE WHEN because IS NOT NULL THEN jsonb_build_object('reason', because) END))
  SELECT array_agg(DISTINCT status_list_id) INTO told FROM instances;
  PERFORM 1 FROM status_lists l WHERE l.id = ANY(told) ORDER BY l.id FOR NO KEY UPDATE;
  UPDATE status_lists l SET version = l.version + 1 WHERE l.id = ANY(told);
  RETURN 'changed';
END
$$;

-- Processes of the version before revoke with this function.
CREATE OR REPLACE FUNCTION "revoke_credential"("credential" TEXT, "moment" TIMESTAMPTZ, "revoked_by" TEXT) RETURNS BOOLEAN
LANGUAGE plpgsql AS $$
BEGIN
  RETURN change_credential_status(credential, 'revoke', moment, revoked_by, NULL, NULL) <> 'unknown';
END
$$;

-- A note may name people, so it ends with the claims. The trigger forget_claims deletes its content key.
CREATE FUNCTION forget_status_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.status_note := NULL;
  RETURN NEW;
END
$$;

CREATE TRIGGER forget_status_note BEFORE UPDATE ON credentials FOR EACH ROW
WHEN (OLD.claims_erased_at IS NULL AND NEW.claims_erased_at IS NOT NULL) EXECUTE FUNCTION forget_status_note();

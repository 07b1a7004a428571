-- Jobs that change the status of many credentials, and the credentials that a job has not processed yet.
CREATE TABLE "credential_status_jobs" (
    "id" TEXT NOT NULL,
    "created_by" TEXT,
    "action" TEXT NOT NULL,
    "reason" TEXT,
    "scope" JSONB NOT NULL,
    "confidential" JSON,
    "state" TEXT NOT NULL DEFAULT 'counting',
    "counted" BOOLEAN NOT NULL DEFAULT false,
    "matched" INTEGER NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,
    "changed" INTEGER NOT NULL DEFAULT 0,
    "unchanged" INTEGER NOT NULL DEFAULT 0,
    "revoked" INTEGER NOT NULL DEFAULT 0,
    "not_suspendable" INTEGER NOT NULL DEFAULT 0,
    "removed" INTEGER NOT NULL DEFAULT 0,
    "lists" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "settled" BOOLEAN NOT NULL DEFAULT false,
    "worked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "credential_status_jobs_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "credential_status_jobs_action_check" CHECK ("action" IN ('revoke', 'suspend', 'reinstate')),
    CONSTRAINT "credential_status_jobs_state_check" CHECK ("state" IN ('counting', 'running', 'paused', 'done', 'cancelled'))
);

CREATE INDEX "credential_status_jobs_created_at_id_idx" ON "credential_status_jobs" ("created_at" DESC, "id" DESC);
CREATE INDEX "credential_status_jobs_unsettled_idx" ON "credential_status_jobs" ("worked_at") WHERE NOT "settled";

CREATE TRIGGER forget_content_keys AFTER DELETE ON credential_status_jobs
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_content_keys();

CREATE TABLE "credential_status_job_items" (
    "job_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "credential_id" TEXT NOT NULL,

    CONSTRAINT "credential_status_job_items_pkey" PRIMARY KEY ("job_id", "position")
);

-- When a status job last gave status lists a new version. It has one row.
CREATE TABLE "status_list_announcement" (
    "id" INTEGER NOT NULL,
    "announced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT '1970-01-01 00:00:00+00',

    CONSTRAINT "status_list_announcement_pkey" PRIMARY KEY ("id")
);
INSERT INTO "status_list_announcement" ("id") VALUES (1);

-- Whether a credential can be suspended: its schema says so, and so do the status lists of all its instances.
CREATE FUNCTION "is_suspendable"("credential" TEXT, "schema" TEXT) RETURNS BOOLEAN
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM schemas s WHERE s.id = schema AND s.suspendable)
    AND NOT EXISTS (
      SELECT 1 FROM credential_instances i JOIN status_lists l ON l.id = i.status_list_id
      WHERE i.credential_id = credential AND l.bits < 2)
$$;

-- What a change would do to a credential: 'changed', 'unchanged' (it has the status already), 'revoked' or 'not-suspendable'. The rules
-- are those of change_credential_status. PostgreSQL inlines the function, so that "suspendable" is only computed if it matters.
CREATE FUNCTION "status_change_outcome"(
  "change" TEXT, "revoked" TIMESTAMPTZ, "suspended" TIMESTAMPTZ, "suspendable" BOOLEAN) RETURNS TEXT
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN change = 'revoke' THEN CASE WHEN revoked IS NULL THEN 'changed' ELSE 'unchanged' END
    WHEN revoked IS NOT NULL THEN 'revoked'
    WHEN NOT suspendable THEN 'not-suspendable'
    WHEN (change = 'suspend') = (suspended IS NOT NULL) THEN 'unchanged'
    ELSE 'changed'
  END
$$;

-- Suspends, reinstates or revokes many credentials with all their instances, and writes an audit row for each, as
-- change_credential_status does for one. It does not change the versions of the status lists: "lists" names the lists that need one.
--
-- The credentials are locked in the order of their ids, by a statement of its own. The next statement then sees the instances that
-- wallets took meanwhile. "removed" counts credentials that no longer exist.
CREATE FUNCTION "change_credential_statuses"(
  "ids" TEXT[], "change" TEXT, "moment" TIMESTAMPTZ, "changed_by" TEXT, "because" TEXT, "job" TEXT,
  OUT "changed" TEXT[], OUT "unchanged" INTEGER, OUT "revoked" INTEGER, OUT "not_suspendable" INTEGER, OUT "removed" INTEGER,
  OUT "lists" TEXT[])
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM credentials c WHERE c.id = ANY(ids) ORDER BY c.id FOR NO KEY UPDATE;
  SELECT COALESCE(array_agg(o.id ORDER BY o.id) FILTER (WHERE o.outcome = 'changed'), '{}'),
    count(*) FILTER (WHERE o.outcome = 'unchanged'), count(*) FILTER (WHERE o.outcome = 'revoked'),
    count(*) FILTER (WHERE o.outcome = 'not-suspendable'), cardinality(ids) - count(*)
  INTO changed, unchanged, revoked, not_suspendable, removed
  FROM (
    SELECT c.id, status_change_outcome(change, c.revoked_at, c.suspended_at, is_suspendable(c.id, c.schema_id)) AS outcome
    FROM credentials c WHERE c.id = ANY(ids)) o;
  UPDATE credentials c SET
    revoked_at = CASE WHEN change = 'revoke' THEN moment END,
    suspended_at = CASE change WHEN 'revoke' THEN c.suspended_at WHEN 'suspend' THEN moment END,
    status_reason = because, status_note = NULL
  WHERE c.id = ANY(changed);
  DELETE FROM content_keys k WHERE k.row_id = ANY(changed) AND k.column_name = 'credentials.status_note';
  INSERT INTO audit_events (at, actor, action, subject, subject_id, detail)
  SELECT clock_timestamp(), changed_by,
    CASE change WHEN 'revoke' THEN 'credential.revoked' WHEN 'suspend' THEN 'credential.suspended' ELSE 'credential.reinstated' END,
    'credential', n.id, jsonb_strip_nulls(jsonb_build_object('reason', because, 'job', job))
  FROM unnest(changed) AS n(id);
  WITH instances AS (
    UPDATE credential_instances i SET
      revoked_at = CASE WHEN change = 'revoke' THEN moment END,
      suspended_at = CASE change WHEN 'revoke' THEN i.suspended_at WHEN 'suspend' THEN moment END
    WHERE i.credential_id = ANY(changed) AND i.revoked_at IS NULL RETURNING i.status_list_id)
  SELECT COALESCE(array_agg(DISTINCT status_list_id), '{}') INTO lists FROM instances;
END
$$;

-- Gives the status lists that status jobs have changed a new version, at most once within "pause" over all processes. So a list is
-- signed anew at most that often while jobs run. The result is the number of lists; null if it is too early, or if another process does it.
CREATE FUNCTION "announce_status_lists"("pause" INTERVAL) RETURNS INTEGER
LANGUAGE plpgsql AS $$
DECLARE
  jobs TEXT[];
  told TEXT[];
BEGIN
  PERFORM 1 FROM status_list_announcement a WHERE a.announced_at <= clock_timestamp() - pause FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  SELECT array_agg(j.id) INTO jobs FROM (
    SELECT id FROM credential_status_jobs WHERE NOT settled AND lists <> '{}' ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) j;
  IF jobs IS NULL THEN
    RETURN 0;
  END IF;
  SELECT array_agg(DISTINCT l) INTO told FROM credential_status_jobs j, unnest(j.lists) l WHERE j.id = ANY(jobs);
  UPDATE credential_status_jobs SET lists = '{}' WHERE id = ANY(jobs);
  PERFORM 1 FROM status_lists l WHERE l.id = ANY(told) ORDER BY l.id FOR NO KEY UPDATE;
  UPDATE status_lists l SET version = l.version + 1 WHERE l.id = ANY(told);
  UPDATE status_list_announcement SET announced_at = clock_timestamp();
  RETURN cardinality(told);
END
$$;

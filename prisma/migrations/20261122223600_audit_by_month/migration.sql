-- Partitions by month, so that an index which is written to stays small, and whole months can be archived. None is ever dropped.

-- A trigger for TRUNCATE is not passed on to partitions: each gets those of its table.
CREATE OR REPLACE FUNCTION "make_partition"("parent" regclass, "since" timestamptz, "until" timestamptz) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '200ms' SET timezone = 'UTC' AS $$
DECLARE
  "partition" text;
  "guard" record;
BEGIN
  SELECT format('%I.%I', n.nspname, c.relname || to_char("since", '_YYYYMMDD"_"HH24')) INTO "partition"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = "parent";
  EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL)', "partition", "parent");
  FOR "guard" IN SELECT tgname, tgfoid::regproc AS run FROM pg_trigger WHERE tgrelid = "parent" AND tgtype & 33 = 32 LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION %s()',
      "guard".tgname, "partition", "guard".run);
  END LOOP;
  EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', "parent", "partition", "since", "until");
END $$;

ALTER TABLE "audit_events" RENAME TO "audit_events_former";
ALTER TABLE "audit_events_former" DROP CONSTRAINT "audit_events_pkey";
ALTER INDEX "audit_events_subject_subject_id_idx" RENAME TO "audit_events_former_subject_subject_id_idx";
ALTER INDEX "audit_events_at_idx" RENAME TO "audit_events_former_at_idx";
DROP TRIGGER "audit_events_append_only" ON "audit_events_former";

CREATE TABLE "audit_events" (
    LIKE "audit_events_former" INCLUDING DEFAULTS,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id", "at")
) PARTITION BY RANGE ("at");
ALTER SEQUENCE "audit_events_id_seq" OWNED BY "audit_events"."id";
CREATE INDEX "audit_events_subject_subject_id_idx" ON "audit_events" ("subject", "subject_id");
CREATE INDEX "audit_events_at_idx" ON "audit_events" ("at");
CREATE TRIGGER "audit_events_append_only" BEFORE UPDATE OR DELETE ON "audit_events"
  FOR EACH ROW EXECUTE FUNCTION "refuse_audit_change"();
CREATE TRIGGER "audit_events_no_truncate" BEFORE TRUNCATE ON "audit_events"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();

CREATE TABLE "audit_events_default" PARTITION OF "audit_events" DEFAULT;
CREATE TRIGGER "audit_events_no_truncate" BEFORE TRUNCATE ON "audit_events_default"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();

-- Rows from before are the first partition, to the end of this month.
DO $$
DECLARE
  "month" timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
BEGIN
  IF EXISTS (SELECT 1 FROM "audit_events_former") THEN
    SELECT date_trunc('month', GREATEST(max("at"), now() + interval '10 minutes') AT TIME ZONE 'UTC') + interval '1 month'
    INTO "month" FROM "audit_events_former";
    EXECUTE format('ALTER TABLE "audit_events" ATTACH PARTITION "audit_events_former" FOR VALUES FROM (MINVALUE) TO (%L)',
      "month" AT TIME ZONE 'UTC');
  ELSE
    DROP TABLE "audit_events_former";
  END IF;
  FOR i IN 0..2 LOOP
    PERFORM "make_partition"('audit_events', ("month" + i * interval '1 month') AT TIME ZONE 'UTC',
      ("month" + (i + 1) * interval '1 month') AT TIME ZONE 'UTC');
  END LOOP;
END $$;

-- Partitions of a day by when an event happened. A session's number still stands once: it is counted under the lock of the
-- session's row.
ALTER TABLE "session_events" RENAME TO "session_events_former";
ALTER TABLE "session_events_former" DROP CONSTRAINT "session_events_pkey";

CREATE TABLE "session_events" (
    LIKE "session_events_former" INCLUDING ALL,

    CONSTRAINT "session_events_pkey" PRIMARY KEY ("session_id", "seq", "at")
) PARTITION BY RANGE ("at");

CREATE TABLE "session_events_default" PARTITION OF "session_events" DEFAULT;

-- Rows from before are the first partition, to the end of this day.
DO $$
DECLARE
  "day" timestamptz := date_trunc('day', now(), 'UTC');
BEGIN
  IF EXISTS (SELECT 1 FROM "session_events_former") THEN
    SELECT date_trunc('day', GREATEST(max("at"), now() + interval '10 minutes'), 'UTC') + interval '24 hours'
    INTO "day" FROM "session_events_former";
    EXECUTE format(
      'ALTER TABLE "session_events" ATTACH PARTITION "session_events_former" FOR VALUES FROM (MINVALUE) TO (%L)', "day");
  ELSE
    DROP TABLE "session_events_former";
  END IF;
  FOR i IN 0..3 LOOP
    PERFORM "make_partition"('session_events', "day" + i * interval '24 hours', "day" + (i + 1) * interval '24 hours');
  END LOOP;
END $$;

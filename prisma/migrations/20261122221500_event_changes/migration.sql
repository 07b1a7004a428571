-- A session's row has its JSON as it was at first, and an event what the session's JSON then had otherwise. The first event
-- is the session's row itself. The column is renamed, so that a process of an earlier version fails instead of reading an
-- event's changes as the whole session.

-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN     "first_view" JSONB;
ALTER TABLE "credential_offer_sessions" ADD COLUMN     "first_view" JSONB;
ALTER TABLE "session_events" RENAME COLUMN "data" TO "changes";

UPDATE "verification_sessions" s SET "first_view" = e."changes" FROM "session_events" e WHERE e."session_id" = s."id" AND e."seq" = 1;
UPDATE "credential_offer_sessions" s SET "first_view" = e."changes" FROM "session_events" e WHERE e."session_id" = s."id" AND e."seq" = 1;

DELETE FROM "session_events" WHERE "seq" = 1;
UPDATE "session_events" e SET "changes" = (
  SELECT COALESCE(jsonb_object_agg("key", "value"), '{}') FROM jsonb_each(e."changes")
  WHERE "value" IS DISTINCT FROM s."first_view" -> "key")
FROM (SELECT "id", "first_view" FROM "verification_sessions" UNION ALL SELECT "id", "first_view" FROM "credential_offer_sessions") s
WHERE s."id" = e."session_id";

ALTER TABLE "verification_sessions" ALTER COLUMN "first_view" SET NOT NULL;
ALTER TABLE "credential_offer_sessions" ALTER COLUMN "first_view" SET NOT NULL;
ALTER TABLE "session_events" DROP CONSTRAINT "session_events_seq_check";
ALTER TABLE "session_events" ADD CONSTRAINT "session_events_seq_check" CHECK ("seq" > 1);
ALTER TABLE "session_events" DROP COLUMN "kind";

-- For the list of audit events: by what was done, and by who did it, each written at the end of its action's or caller's part; by time alone
-- nothing is read but what the index of actions has.
DROP INDEX "audit_events_at_idx";
CREATE INDEX "audit_events_action_at_idx" ON "audit_events" ("action", "at");
CREATE INDEX "audit_events_actor_idx" ON "audit_events" ("actor", "at") WHERE "actor" IS NOT NULL;

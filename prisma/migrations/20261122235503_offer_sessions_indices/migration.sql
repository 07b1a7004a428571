-- Those that ended, in the order in which they are removed, as of verification sessions.
DROP INDEX "credential_offer_sessions_ended_at_idx";
CREATE INDEX "credential_offer_sessions_ended_idx" ON "credential_offer_sessions" ("ended_at") WHERE "ended_at" IS NOT NULL;

-- For the list of sessions, whole or by state: each session is in one of these. None names the state, so that a wallet that fetches its
-- request changes no index; those in Error are the ones with a message.
CREATE INDEX "verification_sessions_awaited_idx" ON "verification_sessions" ("created_at") WHERE "ended_at" IS NULL;
CREATE INDEX "verification_sessions_verified_idx" ON "verification_sessions" ("created_at") WHERE "ended_at" IS NOT NULL AND "error_message" IS NULL;
CREATE INDEX "verification_sessions_failed_idx" ON "verification_sessions" ("created_at") WHERE "ended_at" IS NOT NULL AND "error_message" IS NOT NULL;

-- For the list of credentials. Each new credential is written into one index by time, one by schema, and where it has a holder's
-- DID one more; a revoked one moves from the first to that of revoked ones. Times only grow, so that the first two are written at their ends.
CREATE INDEX "credentials_active_idx" ON "credentials" ("created_at") WHERE "revoked_at" IS NULL;
CREATE INDEX "credentials_revoked_idx" ON "credentials" ("created_at") WHERE "revoked_at" IS NOT NULL;
CREATE INDEX "credentials_schema_id_created_at_idx" ON "credentials" ("schema_id", "created_at");
-- By hash, since a DID may be longer than what an index takes.
CREATE INDEX "credentials_holder_idx" ON "credentials" (hashtextextended("holder_did", 0), "created_at") WHERE "holder_did" IS NOT NULL;

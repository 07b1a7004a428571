-- The suspended credentials, for the list of credentials by status.
CREATE INDEX CONCURRENTLY "credentials_suspended_idx" ON "credentials" ("created_at") WHERE "suspended_at" IS NOT NULL AND "revoked_at" IS NULL;

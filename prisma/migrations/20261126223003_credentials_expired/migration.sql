-- The expired credentials, for the list of credentials by status.
CREATE INDEX CONCURRENTLY "credentials_expired_idx" ON "credentials" ("created_at") WHERE "expired_at" IS NOT NULL AND "revoked_at" IS NULL;

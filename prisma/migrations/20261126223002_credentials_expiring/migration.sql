-- Credentials whose expiry was not recorded yet, for the maintenance job.
CREATE INDEX CONCURRENTLY "credentials_expiring_idx" ON "credentials" ("expires_at") WHERE "expires_at" IS NOT NULL AND "expired_at" IS NULL AND "revoked_at" IS NULL;

-- Erasing finds what is due. Credentials that are kept have no entry.
CREATE INDEX CONCURRENTLY "credentials_claims_due_idx" ON "credentials" ("claims_due_at") WHERE "claims_due_at" IS NOT NULL;

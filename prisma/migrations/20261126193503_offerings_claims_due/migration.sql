-- The same for offerings.
CREATE INDEX CONCURRENTLY "offerings_claims_due_idx" ON "offerings" ("claims_due_at") WHERE "claims_due_at" IS NOT NULL;

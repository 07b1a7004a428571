-- Cancelled batches that still have a reason.
CREATE INDEX CONCURRENTLY "offer_batches_reason_idx" ON "offer_batches" ("cancelled_at") WHERE "confidential" IS NOT NULL;

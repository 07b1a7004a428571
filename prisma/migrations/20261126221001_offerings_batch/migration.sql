-- The offers of a batch, in the order of its rows.
CREATE INDEX CONCURRENTLY "offerings_batch_idx" ON "offerings" ("batch_id", "batch_row") WHERE "batch_id" IS NOT NULL;

-- The same for records that are to be removed.
CREATE INDEX CONCURRENTLY "credentials_record_due_idx" ON "credentials" ("record_due_at") WHERE "record_due_at" IS NOT NULL;

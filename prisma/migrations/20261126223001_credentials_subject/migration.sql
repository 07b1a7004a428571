-- The active sets of a subject. Only credentials of types with active sets are in the index.
CREATE INDEX CONCURRENTLY "credentials_subject_idx" ON "credentials" ("subject_hash") WHERE "subject_hash" IS NOT NULL AND "revoked_at" IS NULL;

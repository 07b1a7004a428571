-- One statement, and no transaction: rows may be inserted while the index is built.
CREATE INDEX CONCURRENTLY "verification_sessions_by_reference" ON "verification_sessions" ("reference_hash", "created_at" DESC, "id" DESC) WHERE "reference_hash" IS NOT NULL;

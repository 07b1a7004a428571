-- One statement, and no transaction: rows may be inserted while the index is built.
CREATE INDEX CONCURRENTLY "credentials_by_reference" ON "credentials" ("reference_hash", "created_at" DESC, "id" DESC) WHERE "reference_hash" IS NOT NULL;

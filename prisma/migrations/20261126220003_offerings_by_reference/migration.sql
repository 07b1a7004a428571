-- One statement, and no transaction: rows may be inserted while the index is built.
CREATE INDEX CONCURRENTLY "offerings_by_reference" ON "offerings" ("reference_hash", "created_at" DESC, "id" DESC) WHERE "reference_hash" IS NOT NULL;

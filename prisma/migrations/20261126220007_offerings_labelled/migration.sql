-- One statement, and no transaction: rows may be inserted while the index is built. A label that most offers have is found in the order
-- of time.
CREATE INDEX CONCURRENTLY "offerings_labelled" ON "offerings" ("created_at" DESC, "id" DESC) WHERE "label_hashes" IS NOT NULL;

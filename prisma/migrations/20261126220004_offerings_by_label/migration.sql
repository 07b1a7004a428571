-- One statement, and no transaction: rows may be inserted while the index is built.
CREATE INDEX CONCURRENTLY "offerings_by_label" ON "offerings" USING gin ("label_hashes") WHERE "label_hashes" IS NOT NULL;

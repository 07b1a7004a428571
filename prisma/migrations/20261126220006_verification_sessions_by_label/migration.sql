-- One statement, and no transaction: rows may be inserted while the index is built.
CREATE INDEX CONCURRENTLY "verification_sessions_by_label" ON "verification_sessions" USING gin ("label_hashes") WHERE "label_hashes" IS NOT NULL;

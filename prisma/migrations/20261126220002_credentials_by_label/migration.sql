-- One statement, and no transaction: rows may be inserted while the index is built.
CREATE INDEX CONCURRENTLY "credentials_by_label" ON "credentials" USING gin ("label_hashes") WHERE "label_hashes" IS NOT NULL;

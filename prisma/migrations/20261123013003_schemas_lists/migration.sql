-- For the list of schema versions.
CREATE INDEX "schemas_created_at_idx" ON "schemas" ("created_at");

-- The VP queries with a name, for the search. Programs make most VP queries, and give them no names.
CREATE INDEX CONCURRENTLY "vp_queries_named_idx" ON "vp_queries" ("created_at" DESC, "id" DESC) WHERE "name" IS NOT NULL;

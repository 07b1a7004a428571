-- The credentials of a user, for the export of a person's data. By hash, since a `sub` may be longer than what an index takes.
CREATE INDEX CONCURRENTLY "credentials_owner_idx" ON "credentials" (hashtextextended("owner", 0), "created_at") WHERE "owner" IS NOT NULL;

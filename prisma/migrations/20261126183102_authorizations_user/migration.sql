-- The sign-ins of a user, for the export of a person's data. By hash, since a `sub` may be longer than what an index takes.
CREATE INDEX CONCURRENTLY "authorizations_user_idx" ON "authorizations" (hashtextextended("user_sub", 0), "created_at") WHERE "user_sub" IS NOT NULL;

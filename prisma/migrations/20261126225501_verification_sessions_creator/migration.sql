-- The verification sessions of a user, for lists. By hash, since a `sub` may be longer than what an index takes.
CREATE INDEX CONCURRENTLY "verification_sessions_creator_idx" ON "verification_sessions" (hashtextextended("created_by", 0), "created_at") WHERE "created_by" IS NOT NULL;

-- The credential offers of a user, for lists. By hash, since a `sub` may be longer than what an index takes.
CREATE INDEX CONCURRENTLY "credential_offer_sessions_creator_idx" ON "credential_offer_sessions" (hashtextextended("created_by", 0), "created_at");

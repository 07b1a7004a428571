-- For the list of deferred offers that wait for a decision, or were decided over. Offers that are not deferred, which are most, are not in it.
CREATE INDEX "credential_offer_sessions_deferred_idx" ON "credential_offer_sessions" ("deferred", "created_at") WHERE "deferred" IS NOT NULL;

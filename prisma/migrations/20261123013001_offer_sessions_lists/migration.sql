-- For the list of sessions, whole or by state. Indices of this table name the state already, so none of its transitions is a HOT update.
CREATE INDEX "credential_offer_sessions_state_created_at_idx" ON "credential_offer_sessions" ("state", "created_at");

-- Sessions of credential offers in the order in which they run out: of those that nobody has redeemed, and of those whose
-- credential was issued and never acknowledged. An index by state gives no order over several states, so that each
-- batch of maintenance sorted everything that was due.
DROP INDEX "credential_offer_sessions_state_expires_at_idx";
CREATE INDEX "credential_offer_sessions_open_idx" ON "credential_offer_sessions" ("expires_at")
  WHERE "ended_at" IS NULL AND "state" <> 'CredentialIssued';
CREATE INDEX "credential_offer_sessions_issued_idx" ON "credential_offer_sessions" ("expires_at")
  WHERE "ended_at" IS NULL AND "state" = 'CredentialIssued';

CREATE INDEX CONCURRENTLY "credential_offer_keys_clear_idx" ON "credential_offer_keys" ("created_by", "key") WHERE NOT "hashed";

-- The order in which presentations of hosted wallets are removed.
CREATE INDEX CONCURRENTLY "wallet_presentations_created_at_idx" ON "wallet_presentations" ("created_at");

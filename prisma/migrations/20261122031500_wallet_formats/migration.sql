-- Which credential formats there are is said by the registry (server/formats/registry.ts) alone.
ALTER TABLE "wallet_credentials" DROP CONSTRAINT "wallet_credentials_format_check";

-- What the key of an issuer signs: every document, or only the certificates of short-lived signers that sign documents.
ALTER TABLE "issuers" ADD COLUMN "signing" TEXT NOT NULL DEFAULT 'every';

ALTER TABLE "issuers" ADD CONSTRAINT "issuers_signing" CHECK (signing IN ('every', 'delegated'));

-- Types whose credentials are revoked if an attestation of the wallet or of its keys is revoked.
ALTER TABLE "schemas" ADD COLUMN "watch_attestations" BOOLEAN NOT NULL DEFAULT false;

-- The status of the wallet attestation with which an access token was requested.
ALTER TABLE "issuance_tokens" ADD COLUMN "wallet_statuses" JSON;

-- The statuses of the attestations of a waiting wallet.
ALTER TABLE "deferred_issuances" ADD COLUMN "statuses" JSON;

-- Status lists of wallet providers. The signer of the attestation belongs to the identity of a list, because it decides who may
-- sign the list.
CREATE TABLE "attestation_lists" (
  "id" TEXT NOT NULL,
  "uri" TEXT NOT NULL,
  "signer_jwk" JSON NOT NULL,
  "signer_iss" TEXT,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "read_at" TIMESTAMPTZ(3) NOT NULL,
  "failed_at" TIMESTAMPTZ(3),
  "failure" TEXT,
  CONSTRAINT "attestation_lists_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "attestation_lists_due_at_idx" ON "attestation_lists"("due_at");

-- The position of each attestation in its list, with the credential that ends with the attestation.
CREATE TABLE "watched_attestations" (
  "credential_id" TEXT NOT NULL,
  "list_id" TEXT NOT NULL,
  "idx" INTEGER NOT NULL,
  "kind" TEXT NOT NULL,
  "ends_at" TIMESTAMPTZ(3),
  "invalid_at" TIMESTAMPTZ(3),
  "settled_at" TIMESTAMPTZ(3),
  CONSTRAINT "watched_attestations_pkey" PRIMARY KEY ("credential_id", "list_id", "idx", "kind"),
  CONSTRAINT "watched_attestations_kind_check" CHECK ("kind" IN ('wallet', 'key'))
);

CREATE INDEX "watched_attestations_list_id_idx_idx" ON "watched_attestations"("list_id", "idx");

-- The credentials that still have to be revoked.
CREATE INDEX "watched_attestations_invalid_idx" ON "watched_attestations"("invalid_at") WHERE invalid_at IS NOT NULL AND settled_at IS NULL;

ALTER TABLE "watched_attestations" ADD CONSTRAINT "watched_attestations_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "credentials"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "watched_attestations" ADD CONSTRAINT "watched_attestations_list_id_fkey" FOREIGN KEY ("list_id") REFERENCES "attestation_lists"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

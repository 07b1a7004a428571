-- AlterTable
ALTER TABLE "offerings" ADD COLUMN     "configuration_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "is_session" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "credential_offer_sessions" (
    "id" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'Created',
    "seq" INTEGER NOT NULL DEFAULT 1,
    "error_message" TEXT,
    "tx_code" JSONB,
    "tx_code_hash" TEXT,
    "tx_code_attempts" INTEGER NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "credential_offer_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "issuance_tokens" (
    "token_hash" TEXT NOT NULL,
    "jti" TEXT NOT NULL,
    "offering_id" TEXT NOT NULL,
    "configuration_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "taken" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "credential_id" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "issuance_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "used_nonces" (
    "hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_nonces_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "credential_offer_sessions_state_expires_at_idx" ON "credential_offer_sessions"("state", "expires_at");

-- CreateIndex
CREATE INDEX "credential_offer_sessions_ended_at_idx" ON "credential_offer_sessions"("ended_at");

-- CreateIndex
CREATE UNIQUE INDEX "issuance_tokens_jti_key" ON "issuance_tokens"("jti");

-- CreateIndex
CREATE INDEX "issuance_tokens_offering_id_idx" ON "issuance_tokens"("offering_id");

-- CreateIndex
CREATE INDEX "issuance_tokens_expires_at_idx" ON "issuance_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "used_nonces_expires_at_idx" ON "used_nonces"("expires_at");

-- AddForeignKey
ALTER TABLE "credential_offer_sessions" ADD CONSTRAINT "credential_offer_sessions_id_fkey" FOREIGN KEY ("id") REFERENCES "offerings"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "issuance_tokens" ADD CONSTRAINT "issuance_tokens_offering_id_fkey" FOREIGN KEY ("offering_id") REFERENCES "offerings"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Ranges that the data model cannot express.
ALTER TABLE "offerings" ALTER COLUMN "configuration_ids" SET NOT NULL;
ALTER TABLE "issuance_tokens" ALTER COLUMN "configuration_ids" SET NOT NULL, ALTER COLUMN "taken" SET NOT NULL;
ALTER TABLE "credential_offer_sessions" ADD CONSTRAINT "credential_offer_sessions_state_check" CHECK ("state" IN ('Created', 'OfferRetrieved', 'Authorized', 'TokenIssued', 'CredentialIssued', 'Accepted', 'Error'));
ALTER TABLE "credential_offer_sessions" ADD CONSTRAINT "credential_offer_sessions_tx_code_attempts_check" CHECK ("tx_code_attempts" BETWEEN 0 AND 5);
ALTER TABLE "credential_offer_sessions" ADD CONSTRAINT "credential_offer_sessions_error_message_check" CHECK (("state" = 'Error') = ("error_message" IS NOT NULL));

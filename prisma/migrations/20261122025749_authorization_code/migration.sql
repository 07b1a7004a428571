-- AlterTable
ALTER TABLE "issuance_tokens" ADD COLUMN     "authorization_id" TEXT;

-- AlterTable
ALTER TABLE "offerings" ADD COLUMN     "for_subject" TEXT,
ADD COLUMN     "grant" TEXT NOT NULL DEFAULT 'pre-authorized_code';

-- CreateTable
CREATE TABLE "authorizations" (
    "id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "parameters" TEXT NOT NULL,
    "dpop_jkt" TEXT,
    "request_uri_hash" TEXT,
    "offering_id" TEXT,
    "state" TEXT NOT NULL,
    "browser_hash" TEXT,
    "login" TEXT,
    "user_sub" TEXT,
    "user_dids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "code_hash" TEXT,
    "code_expires_at" TIMESTAMPTZ(3),
    "credential_id" TEXT,
    "issued_on" DATE,
    "issued_count" INTEGER NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "authorizations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refresh_tokens" (
    "token_hash" TEXT NOT NULL,
    "authorization_id" TEXT NOT NULL,
    "configuration_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "scope" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "dpop_jkt" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "replaced_at" TIMESTAMPTZ(3),

    CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "authorizations_request_uri_hash_key" ON "authorizations"("request_uri_hash");

-- CreateIndex
CREATE UNIQUE INDEX "authorizations_code_hash_key" ON "authorizations"("code_hash");

-- CreateIndex
CREATE INDEX "authorizations_offering_id_idx" ON "authorizations"("offering_id");

-- CreateIndex
CREATE INDEX "authorizations_expires_at_idx" ON "authorizations"("expires_at");

-- CreateIndex
CREATE INDEX "refresh_tokens_authorization_id_idx" ON "refresh_tokens"("authorization_id");

-- CreateIndex
CREATE INDEX "refresh_tokens_expires_at_idx" ON "refresh_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "issuance_tokens_authorization_id_idx" ON "issuance_tokens"("authorization_id");

-- CreateIndex
CREATE INDEX "offerings_for_subject_created_at_idx" ON "offerings"("for_subject", "created_at" DESC);

-- AddForeignKey
ALTER TABLE "issuance_tokens" ADD CONSTRAINT "issuance_tokens_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "authorizations" ADD CONSTRAINT "authorizations_offering_id_fkey" FOREIGN KEY ("offering_id") REFERENCES "offerings"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

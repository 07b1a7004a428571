-- CreateTable
CREATE TABLE "wallet_credentials" (
    "id" TEXT NOT NULL,
    "holder_id" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "wallet_credentials_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "wallet_credential_copies" (
    "id" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "compact" TEXT NOT NULL,
    "kid" TEXT NOT NULL,
    "key_id" TEXT,
    "private_jwk" TEXT,
    "presented_at" TIMESTAMPTZ(3),

    CONSTRAINT "wallet_credential_copies_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "wallet_presentations" (
    "id" TEXT NOT NULL,
    "holder_id" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "wallet_presentations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "flows" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'initialized',
    "created_by" TEXT NOT NULL,
    "did" TEXT NOT NULL,
    "holder_id" TEXT,
    "content" TEXT NOT NULL,
    "error_message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "flows_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "wallet_credentials_holder_id_created_at_id_idx" ON "wallet_credentials"("holder_id", "created_at" DESC, "id");

-- CreateIndex
CREATE INDEX "wallet_credential_copies_credential_id_idx" ON "wallet_credential_copies"("credential_id");

-- CreateIndex
CREATE INDEX "wallet_credential_copies_key_id_idx" ON "wallet_credential_copies"("key_id");

-- CreateIndex
CREATE INDEX "wallet_presentations_holder_id_created_at_id_idx" ON "wallet_presentations"("holder_id", "created_at" DESC, "id");

-- CreateIndex
CREATE INDEX "flows_expires_at_idx" ON "flows"("expires_at");

-- AddForeignKey
ALTER TABLE "wallet_credentials" ADD CONSTRAINT "wallet_credentials_holder_id_fkey" FOREIGN KEY ("holder_id") REFERENCES "holders"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wallet_credential_copies" ADD CONSTRAINT "wallet_credential_copies_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "wallet_credentials"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wallet_credential_copies" ADD CONSTRAINT "wallet_credential_copies_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "keys"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wallet_presentations" ADD CONSTRAINT "wallet_presentations_holder_id_fkey" FOREIGN KEY ("holder_id") REFERENCES "holders"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the data model cannot express.
ALTER TABLE "wallet_credentials" ADD CONSTRAINT "wallet_credentials_format_check" CHECK ("format" IN ('dc+sd-jwt', 'jwt_vc_json'));
ALTER TABLE "wallet_credential_copies" ADD CONSTRAINT "wallet_credential_copies_one_key_check" CHECK (("key_id" IS NULL) <> ("private_jwk" IS NULL));
ALTER TABLE "flows" ADD CONSTRAINT "flows_type_check" CHECK ("type" IN ('claim', 'presentation'));
ALTER TABLE "flows" ADD CONSTRAINT "flows_state_check" CHECK ("state" IN ('initialized', 'confirmed'));
ALTER TABLE "flows" ADD CONSTRAINT "flows_presentation_holder_check" CHECK ("type" = 'claim' OR "holder_id" IS NOT NULL);

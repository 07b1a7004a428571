-- CreateTable
CREATE TABLE "wallet_pending_issuances" (
    "id" TEXT NOT NULL,
    "holder_id" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "key_ids" TEXT[],
    "ask_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "wallet_pending_issuances_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "wallet_pending_issuances_ask_at_idx" ON "wallet_pending_issuances"("ask_at");

-- CreateIndex
CREATE INDEX "wallet_pending_issuances_expires_at_idx" ON "wallet_pending_issuances"("expires_at");

-- CreateIndex
CREATE INDEX "wallet_pending_issuances_holder_id_idx" ON "wallet_pending_issuances"("holder_id");

-- AddForeignKey
ALTER TABLE "wallet_pending_issuances" ADD CONSTRAINT "wallet_pending_issuances_holder_id_fkey" FOREIGN KEY ("holder_id") REFERENCES "holders"("id") ON DELETE CASCADE ON UPDATE CASCADE;

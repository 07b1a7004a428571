-- CreateTable
CREATE TABLE "trusted_issuers" (
    "id" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "note" TEXT,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "trusted_issuers_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "trusted_issuers_issuer_key" ON "trusted_issuers"("issuer");

-- CreateIndex
CREATE INDEX "trusted_issuers_created_at_id_idx" ON "trusted_issuers"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "issuers_created_at_id_idx" ON "issuers"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "verifiers_created_at_id_idx" ON "verifiers"("created_at" DESC, "id" DESC);

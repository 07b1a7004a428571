-- CreateTable
CREATE TABLE "pages" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "verification_session_id" TEXT,
    "offering_id" TEXT,
    "title" TEXT,
    "text" TEXT,
    "type_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "wallet_url" TEXT,
    "browser_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "pages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "pages_verification_session_id_key" ON "pages"("verification_session_id");

-- CreateIndex
CREATE UNIQUE INDEX "pages_offering_id_key" ON "pages"("offering_id");

-- CreateIndex
CREATE INDEX "pages_expires_at_idx" ON "pages"("expires_at");

-- AddForeignKey
ALTER TABLE "pages" ADD CONSTRAINT "pages_verification_session_id_fkey" FOREIGN KEY ("verification_session_id") REFERENCES "verification_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pages" ADD CONSTRAINT "pages_offering_id_fkey" FOREIGN KEY ("offering_id") REFERENCES "offerings"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One target of the kind.
ALTER TABLE "pages" ADD CONSTRAINT "pages_target_check" CHECK (
  CASE "kind"
    WHEN 'present' THEN "verification_session_id" IS NOT NULL AND "offering_id" IS NULL
    WHEN 'receive' THEN "verification_session_id" IS NULL AND "offering_id" IS NOT NULL
    ELSE false
  END);

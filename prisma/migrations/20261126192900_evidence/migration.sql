-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN     "evidence_seconds" INTEGER;

-- CreateTable
CREATE TABLE "verification_evidence" (
    "id" TEXT NOT NULL,
    "created_by" TEXT,
    "evidence" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "verification_evidence_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "verification_evidence_expires_at_idx" ON "verification_evidence"("expires_at");

-- A content key ends with its row.
CREATE TRIGGER forget_content_keys AFTER DELETE ON verification_evidence
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_content_keys();

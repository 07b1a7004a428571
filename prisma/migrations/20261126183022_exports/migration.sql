-- AlterTable
ALTER TABLE "audit_events" ADD COLUMN     "detail" JSONB;

-- CreateTable
CREATE TABLE "exports" (
    "id" TEXT NOT NULL,
    "created_by" TEXT,
    "kind" TEXT NOT NULL,
    "subject" TEXT,
    "from_at" TIMESTAMPTZ(3),
    "to_at" TIMESTAMPTZ(3),
    "schema" TEXT,
    "format" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "exports_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "exports_created_by_created_at_idx" ON "exports"("created_by", "created_at" DESC);

-- CreateIndex
CREATE INDEX "exports_expires_at_idx" ON "exports"("expires_at");

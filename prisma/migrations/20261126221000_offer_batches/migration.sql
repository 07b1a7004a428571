-- CreateTable
CREATE TABLE "offer_batches" (
    "id" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "name" TEXT,
    "size" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "cancelled_at" TIMESTAMPTZ(3),
    "cancelled_by" TEXT,
    "cancel_done_at" TIMESTAMPTZ(3),
    "confidential" JSON,

    CONSTRAINT "offer_batches_pkey" PRIMARY KEY ("id")
);

-- AlterTable
ALTER TABLE "offerings" ADD COLUMN     "batch_id" TEXT,
ADD COLUMN     "batch_row" INTEGER;

-- CreateIndex
CREATE INDEX "offer_batches_created_at_id_idx" ON "offer_batches"("created_at", "id");

-- CreateIndex
CREATE INDEX "offer_batches_created_by_created_at_id_idx" ON "offer_batches"("created_by", "created_at", "id");

-- The batches whose cancellation is not complete.
CREATE INDEX "offer_batches_cancelling_idx" ON "offer_batches" ("cancelled_at") WHERE "cancelled_at" IS NOT NULL AND "cancel_done_at" IS NULL;

-- A content key ends with its row.
CREATE TRIGGER forget_content_keys AFTER DELETE ON offer_batches
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_content_keys();

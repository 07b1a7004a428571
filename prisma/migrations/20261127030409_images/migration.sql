-- AlterTable
ALTER TABLE "issuers" ADD COLUMN     "branding" JSONB;

-- AlterTable
ALTER TABLE "verifiers" ADD COLUMN     "branding" JSONB;

-- AlterTable
ALTER TABLE "wallet_presentations" ADD COLUMN     "credential_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "images" (
    "id" TEXT NOT NULL,
    "media_type" TEXT NOT NULL,
    "width" DOUBLE PRECISION NOT NULL,
    "height" DOUBLE PRECISION NOT NULL,
    "bytes" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "touched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "images_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "image_uploads" (
    "image_id" TEXT NOT NULL,
    "uploader" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "image_uploads_pkey" PRIMARY KEY ("uploader","image_id")
);

-- CreateTable
CREATE TABLE "image_uses" (
    "image_id" TEXT NOT NULL,
    "used_by" TEXT NOT NULL,
    "used_by_id" TEXT NOT NULL,

    CONSTRAINT "image_uses_pkey" PRIMARY KEY ("image_id","used_by","used_by_id")
);

-- CreateIndex
CREATE INDEX "images_touched_at_idx" ON "images"("touched_at");

-- CreateIndex
CREATE INDEX "image_uploads_image_id_idx" ON "image_uploads"("image_id");

-- CreateIndex
CREATE INDEX "image_uses_used_by_used_by_id_idx" ON "image_uses"("used_by", "used_by_id");

-- AddForeignKey
ALTER TABLE "image_uploads" ADD CONSTRAINT "image_uploads_image_id_fkey" FOREIGN KEY ("image_id") REFERENCES "images"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "image_uses" ADD CONSTRAINT "image_uses_image_id_fkey" FOREIGN KEY ("image_id") REFERENCES "images"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "recent_writers" (
    "caller" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "recent_writers_pkey" PRIMARY KEY ("caller")
);

-- CreateIndex
CREATE INDEX "recent_writers_expires_at_idx" ON "recent_writers"("expires_at");

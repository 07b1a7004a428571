-- CreateTable
CREATE TABLE "published_trust_lists" (
    "name" TEXT NOT NULL,
    "content_hash" TEXT NOT NULL,
    "sequence_number" BIGINT NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,
    "next_update" TIMESTAMPTZ(3) NOT NULL,
    "body" BYTEA NOT NULL,

    CONSTRAINT "published_trust_lists_pkey" PRIMARY KEY ("name")
);

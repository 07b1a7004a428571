-- CreateTable
CREATE TABLE "trust_lists" (
    "id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "profile" TEXT,
    "purpose" TEXT NOT NULL,
    "types" JSON,
    "signer" JSON NOT NULL,
    "max_age_hours" INTEGER,
    "territory" TEXT,
    "note" TEXT,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "trust_lists_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "trust_list_documents" (
    "id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "content" BYTEA,
    "version" INTEGER NOT NULL DEFAULT 0,
    "sequence_number" BIGINT,
    "issued_at" TIMESTAMPTZ(3),
    "next_update" TIMESTAMPTZ(3),
    "etag" TEXT,
    "last_modified" TEXT,
    "read_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "leased_until" TIMESTAMPTZ(3),
    "failed_check" TEXT,
    "failure" TEXT,
    "failed_at" TIMESTAMPTZ(3),
    "alert" TEXT,
    "alert_at" TIMESTAMPTZ(3),
    "wanted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "trust_list_documents_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "trust_lists_created_at_id_idx" ON "trust_lists"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "trust_lists_url_purpose_key" ON "trust_lists"("url", "purpose");

-- CreateIndex
CREATE INDEX "trust_list_documents_due_at_idx" ON "trust_list_documents"("due_at");

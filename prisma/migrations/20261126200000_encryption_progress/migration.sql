-- How far the maintenance job has encrypted each protected column. It is working state: what may be in the clear is recorded in the root secret.
CREATE TABLE "encryption_progress" (
    "column_name" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "former_key_ids" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "position" TEXT,
    "again" BOOLEAN NOT NULL DEFAULT false,
    "seen" INTEGER NOT NULL DEFAULT 0,
    "changed" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "encryption_progress_pkey" PRIMARY KEY ("column_name")
);

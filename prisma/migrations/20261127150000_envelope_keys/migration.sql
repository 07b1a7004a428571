-- Key-encryption keys that a key provider wraps.
CREATE TABLE "envelope_keys" (
    "id" TEXT NOT NULL,
    "wrapping" TEXT NOT NULL,
    "wrapped" TEXT NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "active_at" TIMESTAMPTZ(3) NOT NULL,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "envelope_keys_pkey" PRIMARY KEY ("id")
);

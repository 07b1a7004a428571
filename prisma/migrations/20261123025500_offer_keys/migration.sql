-- What callers call the offers of a batch, so that a repeat makes none twice.
CREATE TABLE "credential_offer_keys" (
    "created_by" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,

    CONSTRAINT "credential_offer_keys_pkey" PRIMARY KEY ("created_by", "key")
);

CREATE UNIQUE INDEX "credential_offer_keys_session_id_key" ON "credential_offer_keys"("session_id");

ALTER TABLE "credential_offer_keys" ADD CONSTRAINT "credential_offer_keys_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "credential_offer_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "registration_certificates" (
    "id" TEXT NOT NULL,
    "verifier_id" TEXT NOT NULL,
    "certificate" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "intended_use" TEXT,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3),
    "from_file" BOOLEAN NOT NULL DEFAULT false,
    "status" TEXT,
    "checked_at" TIMESTAMPTZ(3),
    "failed_check" TEXT,
    "failure" TEXT,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "registration_certificates_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "registration_certificates_due_at_idx" ON "registration_certificates"("due_at");

-- CreateIndex
CREATE UNIQUE INDEX "registration_certificates_verifier_id_fingerprint_key" ON "registration_certificates"("verifier_id", "fingerprint");

-- AddForeignKey
ALTER TABLE "registration_certificates" ADD CONSTRAINT "registration_certificates_verifier_id_fkey" FOREIGN KEY ("verifier_id") REFERENCES "verifiers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

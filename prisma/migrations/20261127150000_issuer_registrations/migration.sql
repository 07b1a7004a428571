-- AlterTable
ALTER TABLE "registration_certificates" ADD COLUMN     "issuer_id" TEXT,
ALTER COLUMN "verifier_id" DROP NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "registration_certificates_issuer_id_fingerprint_key" ON "registration_certificates"("issuer_id", "fingerprint");

-- AddForeignKey
ALTER TABLE "registration_certificates" ADD CONSTRAINT "registration_certificates_issuer_id_fkey" FOREIGN KEY ("issuer_id") REFERENCES "issuers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Each row has a verifier until now. So the check need not read the table.
ALTER TABLE "registration_certificates" ADD CONSTRAINT "registration_certificates_of_one_party" CHECK (
  (verifier_id IS NULL) <> (issuer_id IS NULL)) NOT VALID;

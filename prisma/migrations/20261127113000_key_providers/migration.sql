-- A key may lie in a key provider. Then the database has its public part and its name only.
ALTER TABLE "keys" ALTER COLUMN "private_jwk" DROP NOT NULL,
  ADD COLUMN "provider" TEXT,
  ADD COLUMN "reference" TEXT;

-- No row has a provider yet. So the check need not read the table.
ALTER TABLE "keys" ADD CONSTRAINT "keys_in_one_place" CHECK (
  (private_jwk IS NOT NULL AND provider IS NULL AND reference IS NULL)
  OR (private_jwk IS NULL AND provider IS NOT NULL AND reference IS NOT NULL)) NOT VALID;

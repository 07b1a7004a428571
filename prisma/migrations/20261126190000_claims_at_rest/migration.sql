-- Content keys of claims, wrapped by the key-encryption key. Apart from the claims, so that a backup can be made without them.
CREATE TABLE "content_keys" (
    "row_id" TEXT NOT NULL,
    "column_name" TEXT NOT NULL,
    "wrapped" TEXT NOT NULL,

    CONSTRAINT "content_keys_pkey" PRIMARY KEY ("row_id","column_name")
);

-- AlterTable
ALTER TABLE "credentials" ADD COLUMN "claims_erased_at" TIMESTAMPTZ(3),
ADD COLUMN "signed" BOOLEAN,
ALTER COLUMN "vc" DROP NOT NULL;

-- AlterTable
ALTER TABLE "offerings" ADD COLUMN "claims_erased_at" TIMESTAMPTZ(3),
ALTER COLUMN "credential_subject" DROP NOT NULL;

-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN "claims_erased_at" TIMESTAMPTZ(3);

-- A content key ends with its row.
CREATE FUNCTION forget_content_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM content_keys k USING gone g WHERE k.row_id = g.id AND k.column_name LIKE TG_TABLE_NAME || '.%';
  RETURN NULL;
END $$;

CREATE TRIGGER forget_content_keys AFTER DELETE ON credentials
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_content_keys();

CREATE TRIGGER forget_content_keys AFTER DELETE ON offerings
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_content_keys();

CREATE TRIGGER forget_content_keys AFTER DELETE ON verification_sessions
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_content_keys();

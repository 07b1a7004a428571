-- AlterTable
ALTER TABLE "schemas" ADD COLUMN     "offered_until" TIMESTAMPTZ(3),
ADD COLUMN     "withdrawn_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "credential_types" (
    "name" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credential_types_pkey" PRIMARY KEY ("name")
);

-- A type that exists belongs to whoever made the version that came first, whatever its number.
INSERT INTO "credential_types" ("name", "created_by", "created_at")
SELECT DISTINCT ON ("name") "name", "created_by", "created_at" FROM "schemas" ORDER BY "name", "created_at", "version", "id";

-- AddForeignKey
ALTER TABLE "schemas" ADD CONSTRAINT "schemas_name_fkey" FOREIGN KEY ("name") REFERENCES "credential_types"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The active version of a name is its highest one that is not withdrawn.
CREATE INDEX "schemas_active_idx" ON "schemas" ("name", "version" DESC) WHERE "withdrawn_at" IS NULL;

-- CreateTable
CREATE TABLE "secrets" (
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "secrets_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "dids" (
    "did" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "uuid" TEXT,
    "created_by" TEXT,
    "purpose" TEXT NOT NULL,
    "key_set_id" TEXT NOT NULL,
    "key_id" TEXT,
    "holder_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dids_pkey" PRIMARY KEY ("did")
);

-- CreateTable
CREATE TABLE "key_sets" (
    "id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "key_sets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "keys" (
    "id" TEXT NOT NULL,
    "key_set_id" TEXT NOT NULL,
    "alg" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "private_jwk" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "issuers" (
    "id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "did" TEXT NOT NULL,
    "key_set_id" TEXT NOT NULL,
    "display" JSONB,
    "created_by" TEXT,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "issuers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verifiers" (
    "id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "did" TEXT NOT NULL,
    "key_set_id" TEXT NOT NULL,
    "display" JSONB,
    "created_by" TEXT,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "verifiers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "holders" (
    "id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "holders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "schemas" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" DOUBLE PRECISION NOT NULL,
    "body" JSONB NOT NULL,
    "title" TEXT,
    "description" TEXT,
    "display" JSONB,
    "selectively_disclosable" JSONB,
    "expires_in_days" INTEGER,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "schemas_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "schema_issuers" (
    "schema_id" TEXT NOT NULL,
    "issuer_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "schema_issuers_pkey" PRIMARY KEY ("schema_id","issuer_id")
);

-- CreateTable
CREATE TABLE "offerings" (
    "id" TEXT NOT NULL,
    "schema_id" TEXT NOT NULL,
    "issuer_id" TEXT NOT NULL,
    "credential_subject" JSONB NOT NULL,
    "recipient" TEXT,
    "redemption_limit" INTEGER,
    "redemption_count" INTEGER NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "offerings_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "redemptions" (
    "id" TEXT NOT NULL,
    "offering_id" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "recipient_did" TEXT,
    "redeemed_by" TEXT,
    "redeemed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "redemptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credentials" (
    "id" TEXT NOT NULL,
    "schema_id" TEXT NOT NULL,
    "issuer_id" TEXT NOT NULL,
    "owner" TEXT,
    "holder_did" TEXT,
    "vc" JSONB NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credentials_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credential_instances" (
    "status_list_id" TEXT NOT NULL,
    "status_index" INTEGER NOT NULL,
    "credential_id" TEXT NOT NULL,
    "configuration_id" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "credential_instances_pkey" PRIMARY KEY ("status_list_id","status_index")
);

-- CreateTable
CREATE TABLE "status_lists" (
    "id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "issuer_id" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "allotted" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "status_lists_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "dids_uuid_key" ON "dids"("uuid");

-- CreateIndex
CREATE INDEX "dids_created_by_created_at_idx" ON "dids"("created_by", "created_at" DESC);

-- CreateIndex
CREATE INDEX "dids_key_set_id_idx" ON "dids"("key_set_id");

-- CreateIndex
CREATE INDEX "dids_key_id_idx" ON "dids"("key_id");

-- CreateIndex
CREATE INDEX "dids_holder_id_idx" ON "dids"("holder_id");

-- CreateIndex
CREATE INDEX "keys_key_set_id_created_at_idx" ON "keys"("key_set_id", "created_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "issuers_did_key" ON "issuers"("did");

-- CreateIndex
CREATE INDEX "issuers_created_by_created_at_idx" ON "issuers"("created_by", "created_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "verifiers_did_key" ON "verifiers"("did");

-- CreateIndex
CREATE INDEX "verifiers_created_by_created_at_idx" ON "verifiers"("created_by", "created_at" DESC);

-- CreateIndex
CREATE INDEX "holders_created_by_created_at_idx" ON "holders"("created_by", "created_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "schemas_name_version_key" ON "schemas"("name", "version" DESC);

-- CreateIndex
CREATE INDEX "schema_issuers_issuer_id_idx" ON "schema_issuers"("issuer_id");

-- CreateIndex
CREATE INDEX "offerings_created_at_id_idx" ON "offerings"("created_at" DESC, "id");

-- CreateIndex
CREATE INDEX "offerings_schema_id_idx" ON "offerings"("schema_id");

-- CreateIndex
CREATE UNIQUE INDEX "redemptions_credential_id_key" ON "redemptions"("credential_id");

-- CreateIndex
CREATE INDEX "redemptions_offering_id_redeemed_at_idx" ON "redemptions"("offering_id", "redeemed_at" DESC);

-- CreateIndex
CREATE INDEX "redemptions_redeemed_by_idx" ON "redemptions"("redeemed_by");

-- CreateIndex
CREATE INDEX "credentials_schema_id_idx" ON "credentials"("schema_id");

-- CreateIndex
CREATE INDEX "credentials_issuer_id_idx" ON "credentials"("issuer_id");

-- CreateIndex
CREATE INDEX "credential_instances_credential_id_idx" ON "credential_instances"("credential_id");

-- CreateIndex
CREATE INDEX "status_lists_key_id_created_at_idx" ON "status_lists"("key_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "audit_events_subject_subject_id_idx" ON "audit_events"("subject", "subject_id");

-- CreateIndex
CREATE INDEX "audit_events_at_idx" ON "audit_events"("at");

-- AddForeignKey
ALTER TABLE "dids" ADD CONSTRAINT "dids_key_set_id_fkey" FOREIGN KEY ("key_set_id") REFERENCES "key_sets"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dids" ADD CONSTRAINT "dids_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "keys"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dids" ADD CONSTRAINT "dids_holder_id_fkey" FOREIGN KEY ("holder_id") REFERENCES "holders"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "keys" ADD CONSTRAINT "keys_key_set_id_fkey" FOREIGN KEY ("key_set_id") REFERENCES "key_sets"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "issuers" ADD CONSTRAINT "issuers_key_set_id_fkey" FOREIGN KEY ("key_set_id") REFERENCES "key_sets"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "verifiers" ADD CONSTRAINT "verifiers_key_set_id_fkey" FOREIGN KEY ("key_set_id") REFERENCES "key_sets"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "schema_issuers" ADD CONSTRAINT "schema_issuers_schema_id_fkey" FOREIGN KEY ("schema_id") REFERENCES "schemas"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "schema_issuers" ADD CONSTRAINT "schema_issuers_issuer_id_fkey" FOREIGN KEY ("issuer_id") REFERENCES "issuers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "offerings" ADD CONSTRAINT "offerings_schema_id_fkey" FOREIGN KEY ("schema_id") REFERENCES "schemas"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "offerings" ADD CONSTRAINT "offerings_issuer_id_fkey" FOREIGN KEY ("issuer_id") REFERENCES "issuers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_offering_id_fkey" FOREIGN KEY ("offering_id") REFERENCES "offerings"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "credentials"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_schema_id_fkey" FOREIGN KEY ("schema_id") REFERENCES "schemas"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_issuer_id_fkey" FOREIGN KEY ("issuer_id") REFERENCES "issuers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credential_instances" ADD CONSTRAINT "credential_instances_status_list_id_fkey" FOREIGN KEY ("status_list_id") REFERENCES "status_lists"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credential_instances" ADD CONSTRAINT "credential_instances_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "credentials"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "status_lists" ADD CONSTRAINT "status_lists_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "keys"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Ranges that the data model cannot express.
ALTER TABLE "dids" ADD CONSTRAINT "dids_purpose_check" CHECK ("purpose" IN ('issuer', 'verifier', 'holder', 'agent'));
ALTER TABLE "dids" ADD CONSTRAINT "dids_uuid_check" CHECK (("method" = 'web') = ("uuid" IS NOT NULL));
ALTER TABLE "schemas" ADD CONSTRAINT "schemas_version_check" CHECK ("version" > 0);
ALTER TABLE "schemas" ADD CONSTRAINT "schemas_expires_in_days_check" CHECK ("expires_in_days" >= 1);
ALTER TABLE "offerings" ADD CONSTRAINT "offerings_redemption_limit_check" CHECK ("redemption_limit" >= 1);
ALTER TABLE "offerings" ADD CONSTRAINT "offerings_redemption_count_check" CHECK ("redemption_count" >= 0 AND "redemption_count" <= "redemption_limit");
ALTER TABLE "status_lists" ADD CONSTRAINT "status_lists_allotted_check" CHECK ("size" > 0 AND "allotted" BETWEEN 0 AND "size");
ALTER TABLE "credential_instances" ADD CONSTRAINT "credential_instances_status_index_check" CHECK ("status_index" >= 0);

-- One default issuer and one default verifier, whatever starts at the same time.
CREATE UNIQUE INDEX "issuers_default_key" ON "issuers" ("is_default") WHERE "is_default";
CREATE UNIQUE INDEX "verifiers_default_key" ON "verifiers" ("is_default") WHERE "is_default";

-- What a status list publishes.
CREATE INDEX "credential_instances_revoked_idx" ON "credential_instances" ("status_list_id", "status_index") WHERE "revoked_at" IS NOT NULL;

-- The audit table only grows.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_events is append-only';
END $$;
CREATE TRIGGER "audit_events_append_only" BEFORE UPDATE OR DELETE ON "audit_events"
  FOR EACH ROW EXECUTE FUNCTION "refuse_audit_change"();

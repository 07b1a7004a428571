-- CreateTable
CREATE TABLE "vp_queries" (
    "id" TEXT NOT NULL,
    "query" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "vp_queries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verification_sessions" (
    "id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "qr_code_id" TEXT,
    "verifier_id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "kid" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'RequestCreated',
    "seq" INTEGER NOT NULL DEFAULT 1,
    "error_message" TEXT,
    "response_mode" TEXT NOT NULL,
    "secrets" TEXT,
    "dcql_query" JSON NOT NULL,
    "vp_query" JSON,
    "trusted_issuers" JSON,
    "redirect_uri" TEXT,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "response_code_hash" TEXT,
    "response_code_used_at" TIMESTAMPTZ(3),
    "result" JSON,

    CONSTRAINT "verification_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session_events" (
    "session_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "data" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_events_pkey" PRIMARY KEY ("session_id","seq")
);

-- CreateIndex
CREATE INDEX "vp_queries_created_at_id_idx" ON "vp_queries"("created_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "verification_sessions_request_id_key" ON "verification_sessions"("request_id");

-- CreateIndex
CREATE UNIQUE INDEX "verification_sessions_qr_code_id_key" ON "verification_sessions"("qr_code_id");

-- Ranges that the data model cannot express.
ALTER TABLE "verification_sessions" ADD CONSTRAINT "verification_sessions_state_check"
  CHECK ("state" IN ('RequestCreated', 'RequestUriRetrieved', 'ResponseVerified', 'Error'));
ALTER TABLE "verification_sessions" ADD CONSTRAINT "verification_sessions_error_message_check"
  CHECK (("state" = 'Error') = ("error_message" IS NOT NULL));
ALTER TABLE "verification_sessions" ADD CONSTRAINT "verification_sessions_ended_at_check"
  CHECK (("state" IN ('ResponseVerified', 'Error')) = ("ended_at" IS NOT NULL));
ALTER TABLE "verification_sessions" ADD CONSTRAINT "verification_sessions_response_mode_check"
  CHECK ("response_mode" IN ('direct_post', 'direct_post.jwt'));
ALTER TABLE "verification_sessions" ADD CONSTRAINT "verification_sessions_secrets_check"
  CHECK (("ended_at" IS NULL) = ("secrets" IS NOT NULL));
ALTER TABLE "session_events" ADD CONSTRAINT "session_events_kind_check"
  CHECK ("kind" IN ('verification-session', 'credential-offer-session'));
ALTER TABLE "session_events" ADD CONSTRAINT "session_events_seq_check" CHECK ("seq" >= 1);

-- What the maintenance job looks for: open sessions that ran out, results past their time, sessions past theirs.
CREATE INDEX "verification_sessions_open_idx" ON "verification_sessions" ("expires_at") WHERE "ended_at" IS NULL;
CREATE INDEX "verification_sessions_result_idx" ON "verification_sessions" ("ended_at") WHERE "result" IS NOT NULL;
CREATE INDEX "verification_sessions_ended_idx" ON "verification_sessions" ("ended_at") WHERE "ended_at" IS NOT NULL;

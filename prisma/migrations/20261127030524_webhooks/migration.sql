-- The creator of a credential's offer receives the events of the credential, also after the session of the offer was removed.
ALTER TABLE "credentials" ADD COLUMN "offered_by" TEXT;

-- CreateTable
CREATE TABLE "webhooks" (
    "id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "description" TEXT,
    "payload" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "secret" TEXT NOT NULL,
    "public_key" TEXT,
    "created_by" TEXT,
    "of_admin" BOOLEAN NOT NULL,
    "issuing" BOOLEAN NOT NULL,
    "verifying" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "last_error_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_slots" (
    "webhook_id" TEXT NOT NULL,
    "slot" INTEGER NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL DEFAULT '-infinity'::timestamp with time zone,

    CONSTRAINT "webhook_slots_pkey" PRIMARY KEY ("webhook_id","slot")
);

-- CreateTable
CREATE TABLE "webhook_lines" (
    "webhook_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "waiting" JSONB NOT NULL,

    CONSTRAINT "webhook_lines_pkey" PRIMARY KEY ("webhook_id","subject")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "outcome" TEXT NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "tried_at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "milliseconds" INTEGER,
    "answer" TEXT,
    "error" TEXT,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id","at")
) PARTITION BY RANGE ("at");

-- CreateIndex
CREATE INDEX "webhooks_created_at_id_idx" ON "webhooks"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_lines_webhook_id_next_at_idx" ON "webhook_lines"("webhook_id", "next_at");

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_id_at_id_idx" ON "webhook_deliveries"("webhook_id", "at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "webhook_slots" ADD CONSTRAINT "webhook_slots_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "webhook_deliveries_default" PARTITION OF "webhook_deliveries" DEFAULT;

DO $$
DECLARE
  "day" timestamptz := date_trunc('day', now(), 'UTC');
BEGIN
  FOR i IN 0..3 LOOP
    PERFORM "make_partition"('webhook_deliveries', "day" + i * interval '24 hours', "day" + (i + 1) * interval '24 hours');
  END LOOP;
END $$;

-- Rows of these tables live for milliseconds, so the space of deleted rows is needed again soon.
ALTER TABLE "webhook_lines" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "webhook_slots" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, fillfactor = 50);
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_payload_check" CHECK ("payload" IN ('thin', 'full')),
  ADD CONSTRAINT "webhooks_signature_check" CHECK ("signature" IN ('v1', 'v1a'));
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_outcome_check"
  CHECK ("outcome" IN ('pending', 'delivered', 'failed', 'held'));

-- Writes an event for each webhook that receives it. It runs in the statement that makes the transition: both happen, or neither.
--
-- A record without an owner belongs to the client secret or to no user. Its events go to the webhooks of admins. The caller passes ids and
-- states, never claims and never names.
CREATE FUNCTION record_webhook_event("event" TEXT, "owner" TEXT, "about" TEXT, "facts" JSONB) RETURNS VOID
LANGUAGE plpgsql AS $$
DECLARE
  is_verifying BOOLEAN := event LIKE 'verification.%';
BEGIN
  WITH made AS (
    INSERT INTO webhook_deliveries (id, webhook_id, at, type, subject, data, outcome)
    SELECT 'msg_' || replace(gen_random_uuid()::text, '-', ''), w.id, clock_timestamp(), event, about, facts,
      CASE WHEN w.active AND w.disabled_at IS NULL THEN 'pending' ELSE 'held' END
    FROM webhooks w
    WHERE (CASE WHEN owner IS NULL THEN w.of_admin ELSE w.created_by = owner END)
      AND (CASE WHEN is_verifying THEN w.verifying ELSE w.issuing END)
      AND w.events && ARRAY['*', event]
    RETURNING id, webhook_id, at, type, data, outcome)
  INSERT INTO webhook_lines AS l (webhook_id, subject, next_at, waiting)
  SELECT webhook_id, about, '-infinity', jsonb_build_array(jsonb_build_object('id', id, 'at', at, 'type', type, 'data', data))
  FROM made WHERE outcome = 'pending'
  ON CONFLICT (webhook_id, subject) DO UPDATE SET waiting = l.waiting || EXCLUDED.waiting;
END $$;

-- Transitions of verification sessions. The texts are those of server/verifier/sessions/session.ts.
CREATE FUNCTION verification_webhook_events() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  -- Without any webhook, a transition costs only this look at an empty table.
  IF NOT EXISTS (SELECT FROM webhooks) THEN
    RETURN NULL;
  END IF;
  PERFORM record_webhook_event(
    CASE
      WHEN TG_OP = 'INSERT' THEN 'verification.created'
      WHEN NEW.state = 'RequestUriRetrieved' THEN 'verification.retrieved'
      WHEN NEW.state = 'ResponseVerified' THEN 'verification.completed'
      WHEN NEW.error_message = 'Authorization request expired.' THEN 'verification.expired'
      WHEN NEW.error_message LIKE 'Wallet answered access\_denied%' THEN 'verification.declined'
      ELSE 'verification.failed'
    END,
    NEW.created_by, NEW.id,
    jsonb_strip_nulls(jsonb_build_object('verificationSessionId', NEW.id, 'state', NEW.state, 'errorMessage', NEW.error_message)));
  RETURN NULL;
END $$;

CREATE TRIGGER webhook_events_of_new AFTER INSERT ON verification_sessions FOR EACH ROW EXECUTE FUNCTION verification_webhook_events();
CREATE TRIGGER webhook_events AFTER UPDATE OF state ON verification_sessions FOR EACH ROW
WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION verification_webhook_events();

-- Transitions of credential offers. The text is that of server/issuer/openid4vci/sessions/session.ts.
CREATE FUNCTION offer_webhook_events() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  event TEXT;
  events TEXT[] := '{}';
BEGIN
  IF NOT EXISTS (SELECT FROM webhooks) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    events := ARRAY['created'] || CASE WHEN NEW.state = 'Authorized' THEN ARRAY['authorized'] END;
  ELSIF NEW.link_number <> OLD.link_number THEN
    -- The offer was sent again, with a new link.
    events := ARRAY['created'];
  ELSE
    IF NEW.deferred IS DISTINCT FROM OLD.deferred THEN
      events := ARRAY[CASE NEW.deferred WHEN 'pending' THEN 'deferred' ELSE NEW.deferred END];
    END IF;
    -- A rejection also ends the session.
    IF NEW.state <> OLD.state AND NOT (NEW.state = 'Error' AND 'rejected' = ANY(events)) THEN
      events := events || CASE NEW.state
        WHEN 'OfferRetrieved' THEN 'uri_retrieved'
        WHEN 'Authorized' THEN 'authorized'
        WHEN 'TokenIssued' THEN 'request_received'
        WHEN 'CredentialIssued' THEN 'issued'
        WHEN 'Accepted' THEN 'completed'
        WHEN 'Created' THEN 'created'
        ELSE CASE WHEN NEW.error_message = 'Credential offer expired.' THEN 'expired' ELSE 'failed' END
      END;
    END IF;
  END IF;
  FOREACH event IN ARRAY events LOOP
    IF event IS NOT NULL THEN
      PERFORM record_webhook_event('credential_offer.' || event, NEW.created_by, NEW.id,
        jsonb_strip_nulls(jsonb_build_object('credentialOfferSessionId', NEW.id, 'state', NEW.state, 'deferred', NEW.deferred,
          'errorMessage', NEW.error_message)));
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER webhook_events_of_new AFTER INSERT ON credential_offer_sessions FOR EACH ROW EXECUTE FUNCTION offer_webhook_events();
CREATE TRIGGER webhook_events AFTER UPDATE OF state, deferred, link_number ON credential_offer_sessions FOR EACH ROW
WHEN (OLD.state IS DISTINCT FROM NEW.state OR OLD.deferred IS DISTINCT FROM NEW.deferred OR OLD.link_number IS DISTINCT FROM NEW.link_number)
EXECUTE FUNCTION offer_webhook_events();

-- Changes of credentials. A credential of a credential offer belongs to the creator of the offer. A credential of another offering
-- belongs to no user: its owner is the person who claimed it. Every other credential belongs to its owner.
CREATE FUNCTION credential_webhook_events() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  event TEXT;
  events TEXT[] := '{}';
  offer RECORD;
BEGIN
  IF NOT EXISTS (SELECT FROM webhooks) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    events := ARRAY['issued'];
  ELSE
    IF OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL THEN
      events := events || 'revoked'::TEXT;
    END IF;
    IF (OLD.suspended_at IS NULL) <> (NEW.suspended_at IS NULL) THEN
      events := events || CASE WHEN NEW.suspended_at IS NULL THEN 'reinstated' ELSE 'suspended' END;
    END IF;
    IF OLD.expired_at IS NULL AND NEW.expired_at IS NOT NULL THEN
      events := events || 'expired'::TEXT;
    END IF;
    IF OLD.claims_erased_at IS NULL AND NEW.claims_erased_at IS NOT NULL THEN
      events := events || 'claims_erased'::TEXT;
    END IF;
  END IF;
  IF events = '{}' THEN
    RETURN NULL;
  END IF;
  SELECT r.offering_id AS id, o.is_session, x.created_by INTO offer
  FROM redemptions r JOIN offerings o ON o.id = r.offering_id LEFT JOIN credential_offer_sessions x ON x.id = o.id
  WHERE r.credential_id = NEW.id;
  FOREACH event IN ARRAY events LOOP
    PERFORM record_webhook_event('credential.' || event,
      CASE WHEN offer.id IS NULL THEN NEW.owner ELSE COALESCE(NEW.offered_by, offer.created_by) END, NEW.id,
      jsonb_strip_nulls(jsonb_build_object('credentialId', NEW.id,
        'offeringId', CASE WHEN NOT offer.is_session THEN offer.id END,
        'credentialOfferSessionId', CASE WHEN offer.is_session THEN offer.id END,
        'reason', CASE WHEN event IN ('revoked', 'suspended', 'reinstated') THEN NEW.status_reason END)));
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER webhook_events_of_new AFTER INSERT ON credentials FOR EACH ROW EXECUTE FUNCTION credential_webhook_events();
CREATE TRIGGER webhook_events AFTER UPDATE OF revoked_at, suspended_at, expired_at, claims_erased_at ON credentials FOR EACH ROW
WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at OR OLD.suspended_at IS DISTINCT FROM NEW.suspended_at
  OR OLD.expired_at IS DISTINCT FROM NEW.expired_at OR OLD.claims_erased_at IS DISTINCT FROM NEW.claims_erased_at)
EXECUTE FUNCTION credential_webhook_events();

-- Records how tries ended, and returns the ids of tries that must be recorded later. A try of a line that another statement has
-- locked is recorded later: a statement that makes several transitions also locks several lines, and the two must not wait for each
-- other. Webhooks are locked in the order of their ids.
--
-- "done" is an array of {webhookId, subject, slot, last, id, at, outcome, triedAt, nextAt, status, milliseconds, answer, error, gone}.
-- `outcome` is 'delivered', 'retry', 'failed', or 'unsent' for an event that a worker took and did not send. `last` frees the slot.
CREATE FUNCTION record_webhook_tries("done" JSONB) RETURNS SETOF TEXT LANGUAGE plpgsql AS $$
DECLARE
  t RECORD;
  line RECORD;
  failing RECORD;
BEGIN
  FOR t IN
    SELECT * FROM jsonb_to_recordset(done) AS x("webhookId" TEXT, subject TEXT, slot INT, last BOOLEAN, id TEXT, at TIMESTAMPTZ, outcome TEXT,
      "triedAt" TIMESTAMPTZ, "nextAt" TIMESTAMPTZ, status INT, milliseconds INT, answer TEXT, error TEXT, gone BOOLEAN)
    ORDER BY "webhookId", slot
  LOOP
    SELECT l.waiting INTO line FROM webhook_lines l WHERE l.webhook_id = t."webhookId" AND l.subject = t.subject FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      IF EXISTS (SELECT FROM webhook_lines l WHERE l.webhook_id = t."webhookId" AND l.subject = t.subject) THEN
        RETURN NEXT t.id;
        CONTINUE;
      END IF;
    -- Another process may have sent the event too, after this process was late.
    ELSIF line.waiting -> 0 ->> 'id' = t.id THEN
      IF t.outcome = 'unsent' THEN
        UPDATE webhook_lines l SET next_at = '-infinity' WHERE l.webhook_id = t."webhookId" AND l.subject = t.subject;
      ELSIF t.outcome = 'retry' THEN
        UPDATE webhook_lines l SET tries = l.tries + 1, next_at = t."nextAt" WHERE l.webhook_id = t."webhookId" AND l.subject = t.subject;
      ELSIF jsonb_array_length(line.waiting) = 1 THEN
        DELETE FROM webhook_lines l WHERE l.webhook_id = t."webhookId" AND l.subject = t.subject;
      ELSE
        UPDATE webhook_lines l SET waiting = l.waiting - 0, tries = 0, next_at = '-infinity'
        WHERE l.webhook_id = t."webhookId" AND l.subject = t.subject;
      END IF;
    END IF;
    IF t.outcome = 'unsent' THEN
      CONTINUE;
    END IF;
    UPDATE webhook_deliveries d SET outcome = CASE t.outcome WHEN 'retry' THEN 'pending' ELSE t.outcome END, tries = d.tries + 1,
      tried_at = t."triedAt", status = t.status, milliseconds = t.milliseconds, answer = t.answer, error = t.error
    WHERE d.id = t.id AND d.at = t.at;
    IF t.outcome = 'delivered' THEN
      UPDATE webhooks w SET failures = 0, failing_since = NULL, last_success_at = t."triedAt"
      WHERE w.id = t."webhookId"
        AND (w.failures > 0 OR w.last_success_at IS NULL OR w.last_success_at < t."triedAt" - interval '10 seconds');
      IF t.last THEN
        UPDATE webhook_slots s SET until = '-infinity' WHERE s.webhook_id = t."webhookId" AND s.slot = t.slot;
      END IF;
    ELSE
      UPDATE webhooks w SET failures = w.failures + 1, failing_since = COALESCE(w.failing_since, t."triedAt"), last_error = t.error,
        last_error_at = t."triedAt"
      WHERE w.id = t."webhookId" RETURNING w.failures, w.failing_since, w.disabled_at INTO failing;
      -- A receiver that keeps failing gets one try a second.
      UPDATE webhook_slots s SET until = CASE WHEN failing.failures >= 5 THEN t."triedAt" + interval '1 second' ELSE '-infinity' END
      WHERE s.webhook_id = t."webhookId" AND s.slot = t.slot;
      IF failing.disabled_at IS NULL AND (t.gone OR failing.failing_since <= t."triedAt" - interval '5 days') THEN
        UPDATE webhooks w SET disabled_at = t."triedAt" WHERE w.id = t."webhookId";
        INSERT INTO audit_events (actor, action, subject, subject_id) VALUES (NULL, 'webhook.disabled', 'webhook', t."webhookId");
      END IF;
    END IF;
  END LOOP;
END $$;

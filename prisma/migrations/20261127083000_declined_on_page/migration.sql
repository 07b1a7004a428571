-- A person may also decline on the page of a request. The texts are those of server/verifier/sessions/session.ts.
CREATE OR REPLACE FUNCTION verification_webhook_events() RETURNS TRIGGER LANGUAGE plpgsql AS $$
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
      WHEN NEW.error_message = 'Declined by the holder.' THEN 'verification.declined'
      WHEN NEW.error_message LIKE 'Wallet answered access\_denied%' THEN 'verification.declined'
      ELSE 'verification.failed'
    END,
    NEW.created_by, NEW.id,
    jsonb_strip_nulls(jsonb_build_object('verificationSessionId', NEW.id, 'state', NEW.state, 'errorMessage', NEW.error_message)));
  RETURN NULL;
END $$;

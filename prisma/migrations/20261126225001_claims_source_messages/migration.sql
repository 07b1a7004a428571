-- Checks the rows of earlier versions. Meanwhile the table can be read and written.
ALTER TABLE "credential_offer_sessions" VALIDATE CONSTRAINT "credential_offer_sessions_error_message_check";

-- The offerings for a DID, for the export of a person's data. By hash, since a DID may be longer than what an index takes.
CREATE INDEX CONCURRENTLY "offerings_recipient_idx" ON "offerings" (hashtextextended("recipient", 0), "created_at") WHERE "recipient" IS NOT NULL;

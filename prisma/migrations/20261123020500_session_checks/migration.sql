-- What was checked of the answer to a request, and with what outcome: no value of a claim.
ALTER TABLE "verification_sessions" ADD COLUMN "checks" JSON;

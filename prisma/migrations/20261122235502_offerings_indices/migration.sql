-- The list of offerings shows none of sessions or single authorizations; most offerings are for nobody by name.
DROP INDEX "offerings_created_at_id_idx", "offerings_for_subject_created_at_idx";
CREATE INDEX "offerings_created_at_id_idx" ON "offerings" ("created_at" DESC, "id") WHERE NOT "is_session" AND NOT "of_authorization";
CREATE INDEX "offerings_for_subject_created_at_idx" ON "offerings" ("for_subject", "created_at" DESC) WHERE "for_subject" IS NOT NULL;

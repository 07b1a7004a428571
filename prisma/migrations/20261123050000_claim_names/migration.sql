-- What claims of a credential type are called in further languages (OpenID4VCI 1.0 Appendix B.2).
ALTER TABLE "schemas" ADD COLUMN "claims" JSONB;

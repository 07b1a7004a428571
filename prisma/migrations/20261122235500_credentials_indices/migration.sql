-- No statement asks for credentials by schema or issuer, and neither is ever removed.
DROP INDEX "credentials_schema_id_idx", "credentials_issuer_id_idx";

-- The texts of a page are one value, which is encrypted like claims. Processes of the version before still write the former columns.
ALTER TABLE "pages" ADD COLUMN "texts" JSON;

CREATE TRIGGER forget_content_keys AFTER DELETE ON pages
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_content_keys();

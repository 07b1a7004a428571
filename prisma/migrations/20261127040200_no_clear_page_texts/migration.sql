-- The texts of pages are in "texts" alone. An earlier migration moved them there; rows that were written meanwhile follow.
UPDATE "pages" SET "texts" = json_build_object('title', "title", 'text', "text")
WHERE "texts" IS NULL AND ("title" IS NOT NULL OR "text" IS NOT NULL);

CREATE OR REPLACE FUNCTION forget_page_texts("of_offering" TEXT, "of_session" TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  WITH pages_of AS (
    UPDATE pages p SET texts = NULL
    WHERE (p.offering_id = of_offering OR p.verification_session_id = of_session) AND p.texts IS NOT NULL
    RETURNING p.id)
  DELETE FROM content_keys k USING pages_of WHERE k.row_id = pages_of.id AND k.column_name = 'pages.texts';
END $$;

ALTER TABLE "pages" DROP COLUMN "title", DROP COLUMN "text";

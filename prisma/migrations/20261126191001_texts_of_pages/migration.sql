-- In a transaction of its own: ALTER TABLE would lock the table until each row has changed.
UPDATE "pages" SET "texts" = json_build_object('title', "title", 'text', "text"), "title" = NULL, "text" = NULL
WHERE "title" IS NOT NULL OR "text" IS NOT NULL;

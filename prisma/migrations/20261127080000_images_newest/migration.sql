-- All images, the newest first, for the list of images.
CREATE INDEX CONCURRENTLY "images_created_at_id_idx" ON "images" ("created_at" DESC, "id" DESC);

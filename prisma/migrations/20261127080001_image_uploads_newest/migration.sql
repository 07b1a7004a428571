-- The images of an uploader, the newest first, for the list of images.
CREATE INDEX CONCURRENTLY "image_uploads_uploader_created_at_image_id_idx" ON "image_uploads" ("uploader", "created_at" DESC, "image_id" DESC);

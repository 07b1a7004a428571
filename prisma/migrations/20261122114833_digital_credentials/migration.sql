-- AlterTable
ALTER TABLE "verification_sessions" ADD COLUMN     "expected_origins" JSON,
ADD COLUMN     "further_client_ids" JSON,
ALTER COLUMN "client_id" DROP NOT NULL;

ALTER TABLE "verification_sessions" DROP CONSTRAINT "verification_sessions_response_mode_check";
ALTER TABLE "verification_sessions" ADD CONSTRAINT "verification_sessions_response_mode_check"
  CHECK ("response_mode" IN ('direct_post', 'direct_post.jwt', 'dc_api', 'dc_api.jwt'));

-- Over the Digital Credentials API a request has origins; without a client identifier it takes no other way.
ALTER TABLE "verification_sessions" ADD CONSTRAINT "verification_sessions_expected_origins_check"
  CHECK (("response_mode" IN ('dc_api', 'dc_api.jwt')) = ("expected_origins" IS NOT NULL));
ALTER TABLE "verification_sessions" ADD CONSTRAINT "verification_sessions_client_id_check"
  CHECK ("client_id" IS NOT NULL OR "expected_origins" IS NOT NULL);

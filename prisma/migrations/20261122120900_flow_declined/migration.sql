-- A person may decline what a flow asks.
ALTER TABLE "flows" DROP CONSTRAINT "flows_state_check";
ALTER TABLE "flows" ADD CONSTRAINT "flows_state_check" CHECK ("state" IN ('initialized', 'confirmed', 'declined'));

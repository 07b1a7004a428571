/**
 * The procedures that create something. The service acts once for each `Idempotency-Key` of a call to them. A test
 * compares this list with the contracts.
 */
export const CREATING: ReadonlySet<string> = new Set([
  'agent.createDid',
  'agent.createIssuer',
  'agent.createVerifier',
  'agentHolders.create',
  'authorizationRequests.create',
  'credentialOffers.create',
  'credentialOffers.createMany',
  'credentialOffers.resend',
  'credentials.create',
  'credentials.sign',
  'exports.create',
  'flows.start',
  'holders.createDid',
  'holders.process',
  'images.add',
  'offerings.claim',
  'offerings.create',
  'pages.create',
  'registrations.add',
  'registrations.addToIssuer',
  'schemas.create',
  'statusJobs.create',
  'trustedIssuers.add',
  'vpQueries.authorizationRequest',
  'vpQueries.create',
  'webhooks.create',
  'webhooks.replay',
  'webhooks.rotateSecret',
])

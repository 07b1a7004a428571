import type { CredenceInputs } from '../index.js'

/** The name of an operation of the service, such as `credentials.list`. */
export type Operation = {
  [Router in keyof CredenceInputs & string]: `${Router}.${keyof CredenceInputs[Router] & string}`
}[keyof CredenceInputs & string]

/**
 * The operations that each screen begins with. A user who may call none of them cannot open the screen. An empty list is for
 * everybody. Which roles allow an operation is known to the service alone.
 */
export const NEEDS = {
  '/': [],
  '/signed-in': [],
  '/types': ['schemas.list'],
  '/types/new-type': ['schemas.create'],
  '/types/$name': ['schemas.versions'],
  '/types/$name/edit': ['schemas.create'],
  '/offers': ['credentialOffers.create'],
  '/offers/from-file': ['credentialOffers.createMany'],
  '/offers/$id': ['credentialOffers.events'],
  '/requests': ['verificationSessions.list'],
  '/requests/new-request': ['authorizationRequests.create'],
  '/requests/$id': ['verificationSessions.events'],
  '/credentials': ['credentials.list'],
  '/credentials/jobs': ['statusJobs.list'],
  '/credentials/jobs/$id': ['statusJobs.read'],
  '/credentials/$id': ['credentials.history'],
  '/wallets': ['agentHolders.list'],
  '/wallets/$id': ['walletCredentials.list'],
  '/wallets/$id/credentials/$credentialId': ['walletCredentials.read'],
  '/sessions': ['credentialOffers.sessions', 'verificationSessions.list'],
  '/verify': ['verify.checks'],
  '/trust': ['signers.issuers', 'signers.verifiers'],
  '/trust/trusted': ['trustedIssuers.list', 'walletTrust.read'],
  '/trust/lists': ['trustLists.list'],
  '/trust/lists/$id': ['trustLists.read'],
  '/trust/explain': ['trustLists.explain'],
  '/trust/images': ['images.list'],
  '/trust/keys': ['signingKeys.list'],
  '/trust/rotation': ['signers.issuers', 'signers.verifiers'],
  '/trust/issuers/new-issuer': ['agent.createIssuer'],
  '/trust/issuers/$id': ['signers.issuer'],
  '/trust/verifiers/new-verifier': ['agent.createVerifier'],
  '/trust/verifiers/$id': ['signers.verifier'],
  '/audit': ['audit.list'],
  '/person': ['exports.create'],
  '/webhooks': ['webhooks.list'],
  '/webhooks/$id': ['webhooks.read'],
  '/settings': ['settings.read'],
  '/ui': [],
} as const satisfies Readonly<Record<string, readonly Operation[]>>

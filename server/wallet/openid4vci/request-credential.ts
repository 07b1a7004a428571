import { Openid4vciRetrieveCredentialsError } from '@openid4vc/openid4vci'
import { askIssuer, IssuerRefusal } from './ask-issuer.js'
import { type CredentialResponse, readCredentialResponse } from './credential-response.js'
import { dpopOf, type Grant, type Session, withNonce } from './issuance.js'
import { isModern } from './issuer-metadata.js'
import type { ProofKey } from './proof-keys.js'
import type { Proofs, ProveKeys } from './proofs.js'

/**
 * One credential to request: by configuration, or by the credential's identifier in the token response (OpenID4VCI 1.0
 * §6.2).
 */
export interface Wanted {
  readonly configurationId: string
  readonly identifier?: string
}

/** One credential to request, and whether an issuer of OpenID4VCI 1.0 takes no proofs for it. */
type Request = Wanted & { readonly withoutProofs: boolean }

/** The answer of the credential endpoint. */
export type Answer = CredentialResponse & {
  /** The grant with the server's newest DPoP nonce. */
  readonly grant: Grant
}

/**
 * The identifiers of a configuration in a token response. If there are identifiers, requests must use the identifiers.
 */
export function wantedCredentials({ token }: Grant, configurationId: string): Wanted[] {
  const details = (token.authorization_details ?? []).filter(
    (detail) => detail.credential_configuration_id === configurationId,
  )
  const identifiers = details
    .flatMap((detail) => detail.credential_identifiers)
    .filter((identifier) => typeof identifier === 'string')
  return identifiers.length === 0
    ? [{ configurationId }]
    : identifiers.map((identifier) => ({ configurationId, identifier }))
}

/** Requests a credential through the library, which knows the requests of the drafts. */
async function asDraftsHaveIt(session: Session, grant: Grant, wanted: Wanted, { jwt: [jwt = ''] = [] }: Proofs) {
  const { client, metadata } = session
  const answer = await client.retrieveCredentials({
    issuerMetadata: metadata,
    credentialConfigurationId: wanted.configurationId,
    accessToken: grant.token.access_token,
    proof: { proof_type: 'jwt', jwt },
    ...dpopOf(grant),
  })
  return { body: answer.credentialResponse as unknown, grant: withNonce(grant, answer.dpop) }
}

/**
 * Requests a credential in the form of OpenID4VCI 1.0 (§8.2): by identifier if the token response has an identifier.
 */
function asOneHasIt(
  session: Session,
  grant: Grant,
  { configurationId, identifier }: Wanted,
  proofs: Proofs | undefined,
) {
  return askIssuer(session, grant, session.metadata.credentialIssuer.credential_endpoint, {
    ...(identifier === undefined
      ? { credential_configuration_id: configurationId }
      : { credential_identifier: identifier }),
    ...(proofs === undefined ? {} : { proofs }),
  })
}

/** Whether the issuer refused the nonce, because it was used before or has expired (OpenID4VCI 1.0 §8.3.1.2). */
function isStaleNonce(thrown: unknown): boolean {
  if (thrown instanceof IssuerRefusal) return thrown.code === 'invalid_nonce'
  if (!(thrown instanceof Openid4vciRetrieveCredentialsError)) return false
  return thrown.response.credentialErrorResponseResult?.data?.error === 'invalid_nonce'
}

const isRefusal = (thrown: unknown): boolean =>
  thrown instanceof IssuerRefusal || thrown instanceof Openid4vciRetrieveCredentialsError

/**
 * Asks the credential endpoint for one credential, with a key proof for each copy of it (OpenID4VCI 1.0 §8). A stale nonce is
 * replaced once. Without keys, one copy is requested that is bound to no key.
 *
 * Metadata may fit both 1.0 and a draft. If the issuer refuses the request of the draft and may take no proofs, the request of 1.0
 * follows.
 */
export async function requestCredential(
  proveKeys: ProveKeys,
  session: Session,
  grant: Grant,
  { withoutProofs, ...wanted }: Request,
  keys: readonly ProofKey[],
): Promise<Answer> {
  const { metadata } = session
  // Only the last draft and 1.0 have identifiers.
  const modern = isModern(metadata) || wanted.identifier !== undefined
  const attempt = async () => {
    if (keys.length === 0) return asOneHasIt(session, grant, wanted, undefined)
    const proofs = await proveKeys(session, grant, wanted.configurationId, keys)
    return modern ? asOneHasIt(session, grant, wanted, proofs) : asDraftsHaveIt(session, grant, wanted, proofs)
  }
  const retried = () =>
    attempt().catch((thrown: unknown) => {
      if (isStaleNonce(thrown) && metadata.credentialIssuer.nonce_endpoint !== undefined) return attempt()
      throw thrown
    })
  const answer = await retried().catch(async (thrown: unknown) => {
    if (modern || !withoutProofs || !isRefusal(thrown)) throw thrown
    return asOneHasIt(session, grant, wanted, undefined).catch(() => Promise.reject(thrown))
  })
  return { ...readCredentialResponse(answer.body, keys.length), grant: answer.grant }
}

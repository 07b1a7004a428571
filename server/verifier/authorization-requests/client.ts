import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import {
  ClientIdentifierError,
  type ClientIdPrefix,
  clientIdentifier,
  hasExpired,
} from '../../protocol/openid4vp/client-identifier.js'
import { isOverBrowser, type ResponseMode } from '../../protocol/openid4vp/request-object.js'
import { attestationHasExpired } from '../../protocol/openid4vp/verifier-attestation.js'
import type { ProfileName } from '../openid4vp/profiles/profile.js'
import { defaultPrefix } from '../openid4vp/profiles/request.js'
import type { Session } from '../sessions/session.js'
import type { RequestContext } from './store.js'

/** Members of a request that decide how the verifier names itself. */
export interface NamingMembers {
  readonly responseMode?: ResponseMode | undefined
  readonly signed?: boolean | undefined
  readonly clientIdPrefix?: ClientIdPrefix | readonly ClientIdPrefix[] | undefined
}

/** The client identifiers of a request, and their proofs. */
export type NamedAs = Pick<Session, 'clientId' | 'furtherClientIds' | 'x5c' | 'verifierAttestation'>

/** The value for an unsigned request, which has no client identifier. */
export const UNNAMED: NamedAs = { clientId: null, furtherClientIds: null, x5c: null, verifierAttestation: null }

/**
 * Whether a request is made under a client identifier. Over the Digital Credentials API, `signed` decides. Without
 * `signed`, the request has an identifier if the request names a prefix or the verifier has a certificate. All other
 * requests have an identifier.
 */
export function isNamed({ responseMode, signed, clientIdPrefix }: NamingMembers, { x5c }: Pick<RequestContext, 'x5c'>) {
  return !isOverBrowser(responseMode) || (signed ?? (clientIdPrefix !== undefined || x5c !== null))
}

/**
 * The client identifier of a request that is signed or that names its response URI. If the verifier has a certificate,
 * the default identifier comes from the certificate.
 *
 * @throws 400 if the verifier cannot have this identifier; 409 if its certificate or attestation has expired.
 */
export function clientOf(
  { verifierDid: did, publicJwk, x5c }: RequestContext,
  { clientIdPrefix, responseMode, profile }: NamingMembers & { readonly profile: ProfileName },
  responseUri: string,
  { verifierAttestation: attestation }: Pick<Config, 'verifierAttestation'>,
  now: Date,
): NamedAs {
  const client = { did, publicJwk, x5c, attestation, responseUri, overBrowser: isOverBrowser(responseMode) }
  const prefixes = [clientIdPrefix ?? defaultPrefix(profile, client)].flat()
  const [clientId = null, ...others] = prefixes.map((prefix) => orNeeds(prefix, () => clientIdentifier(prefix, client)))
  const certified = prefixes.some((prefix) => prefix.startsWith('x509_')) ? x5c : null
  const attested = prefixes.includes('verifier_attestation') ? attestation : undefined
  if (certified !== null && hasExpired(certified, now)) throw errors.verifierCertificateExpired()
  if (attested !== undefined && attestationHasExpired(attested, now)) throw errors.verifierAttestationExpired()
  return {
    clientId,
    furtherClientIds: others.length === 0 ? null : others,
    x5c: certified,
    verifierAttestation: attested?.compact ?? null,
  }
}

function orNeeds(prefix: ClientIdPrefix, make: () => string): string {
  try {
    return make()
  } catch (thrown) {
    if (!(thrown instanceof ClientIdentifierError)) throw thrown
    throw errors.badRequest(`clientIdPrefix ${prefix} needs ${thrown.message}`)
  }
}

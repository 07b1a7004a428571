import { errors } from '../../../api/errors.js'
import { type Config, certifiesIssuers } from '../../../config/config.js'
import type { Formats } from '../../../formats/registry.js'
import { algorithmOfJwk } from '../../../protocol/jose/algorithms.js'
import type { Jwk } from '../../../protocol/jose/jws.js'
import {
  type Client,
  ClientIdentifierError,
  type ClientIdPrefix,
  clientIdentifier,
} from '../../../protocol/openid4vp/client-identifier.js'
import type { DcqlQuery } from '../../../protocol/openid4vp/dcql/dcql-query.js'
import { isOverBrowser, type ResponseMode } from '../../../protocol/openid4vp/request-object.js'
import type { AskedFor, Profile, ProfileName } from './profile.js'
import { formatsOf, isDraft, isProvable, profileNamed } from './profiles.js'

/** Members of a new request that a profile may decide. */
export interface ProfileMembers {
  readonly profile?: ProfileName | undefined
  /** One prefix, or several prefixes for a request with one signature for each prefix. */
  readonly clientIdPrefix?: ClientIdPrefix | readonly ClientIdPrefix[] | undefined
  readonly responseMode?: ResponseMode | undefined
  readonly redirectUri?: string | undefined
  readonly requireResponseCode?: boolean | undefined
  readonly walletUrl?: string | undefined
  /** Whether the verifier signs the request. */
  readonly signed: boolean
  readonly page?: boolean | undefined
}

/** The verifier's properties that a profile checks. */
export interface ProfiledVerifier {
  readonly publicJwk: Jwk
  /** The certificate chain of that key; null for a key without a certificate. */
  readonly x5c: readonly string[] | null
}

/**
 * The members with the profile's defaults. If the prefix is absent, the default depends on the verifier's certificate.
 */
export interface Profiled {
  readonly profile: ProfileName
  readonly responseMode: ResponseMode
  readonly requireResponseCode: boolean
  readonly walletUrl: string | null
}

/**
 * The profile of a request, and the members that follow from it. VERIFIER_PROFILE applies unless the request names a profile.
 *
 * @throws 400 for a member that the profile does not allow, or if the request, the verifier or the installation does
 *   not meet a requirement of the profile. The message names the member and the profile.
 */
export function profiled(
  config: Pick<Config, 'verifierProfile' | 'verifierLegacyProfiles' | 'verifierResponseMode' | 'trustAnchors'>,
  request: ProfileMembers,
  verifier: ProfiledVerifier,
): Profiled {
  const name = request.profile ?? config.verifierProfile
  const profile = profileNamed(name)
  if (isDraft(name) && !config.verifierLegacyProfiles.includes(name)) {
    throw errors.badRequest(`profile ${name} is not open here: VERIFIER_LEGACY_PROFILES does not list it`)
  }
  const fault =
    memberFault(profile, request) ?? (profile.certified ? certificateFault(config, request, verifier) : undefined)
  if (fault !== undefined) throw errors.badRequest(`${fault} with profile ${name}`)
  const common = { profile: name, responseMode: request.responseMode ?? responseModeOf(config, profile) }
  // The page that asked stays open in the browser: no wallet address is opened, and no redirect is needed.
  if (isOverBrowser(request.responseMode)) return { ...common, requireResponseCode: false, walletUrl: null }
  return {
    ...common,
    requireResponseCode: request.requireResponseCode ?? (profile.sameDevice || returnsToPage(request)),
    walletUrl: request.walletUrl ?? profile.walletUrl,
  }
}

/**
 * A page knows the browser that opened the page first. If there is a redirect URI, the result can wait for that
 * browser.
 */
const returnsToPage = ({ page, redirectUri }: ProfileMembers) => page === true && redirectUri !== undefined

function responseModeOf(
  { verifierResponseMode: preferred }: Pick<Config, 'verifierResponseMode'>,
  { responseModes }: Profile,
) {
  return responseModes.includes(preferred) ? preferred : (responseModes[0] ?? preferred)
}

function memberFault(
  profile: Profile,
  { clientIdPrefix, responseMode, redirectUri }: ProfileMembers,
): string | undefined {
  const { clientIdPrefixes, responseModes, sameDevice } = profile
  if (clientIdPrefix !== undefined && ![clientIdPrefix].flat().some((prefix) => clientIdPrefixes.includes(prefix))) {
    return `clientIdPrefix must be ${clientIdPrefixes.join(' or ')}`
  }
  if (responseMode !== undefined && !responseModes.includes(responseMode)) {
    return `responseMode must be ${responseModes.join(' or ')}`
  }
  return sameDevice && redirectUri === undefined && !isOverBrowser(responseMode)
    ? 'redirectUri must be given'
    : undefined
}

/** HAIP 1.0 §5, §7: a certificate for a key whose signatures every wallet can verify, and trust anchors for issuers. */
function certificateFault(
  config: Pick<Config, 'trustAnchors' | 'listed'>,
  { signed }: ProfileMembers,
  { publicJwk, x5c }: ProfiledVerifier,
): string | undefined {
  if (!certifiesIssuers(config)) return 'TRUST_ANCHORS or TRUST_LISTS must be set'
  if (!signed) return undefined
  if (x5c !== null && algorithmOfJwk(publicJwk) === 'ES256') return undefined
  return 'the verifier must have a certificate for a P-256 key'
}

/** @throws 400 for a credential query whose format the profile lacks, or whose issuers this installation cannot verify. */
export function assertFormats(
  name: ProfileName,
  { credentials }: DcqlQuery,
  all: Pick<Formats, 'all'>,
  config: Pick<Config, 'trustAnchors'>,
): void {
  const formats = new Map(formatsOf(name, all).map((format) => [format.name, format]))
  for (const [index, { format }] of credentials.entries()) {
    const known = formats.get(format)
    const at = `dcqlQuery.credentials.${index}.format`
    if (known === undefined) {
      throw errors.badRequest(`${at} must be ${[...formats.keys()].join(' or ')} with profile ${name}`)
    }
    if (!isProvable(config, known)) throw errors.badRequest(`${at} ${format} needs TRUST_ANCHORS`)
  }
}

/** @throws 400 that names the member that the version of the profile cannot express. */
export function assertSayable(name: ProfileName, asked: AskedFor): void {
  const fault = profileNamed(name).unsayable(asked)
  if (fault !== undefined) throw errors.badRequest(`${fault} with profile ${name}`)
}

/** Default prefix: the certificate's prefix if the verifier has a suitable certificate. */
export function defaultPrefix(name: ProfileName, client: Client): ClientIdPrefix {
  const { certifiedPrefix } = profileNamed(name)
  return client.x5c !== null && canHave(certifiedPrefix, client) ? certifiedPrefix : 'decentralized_identifier'
}

function canHave(prefix: ClientIdPrefix, client: Client): boolean {
  try {
    clientIdentifier(prefix, client)
    return true
  } catch (thrown) {
    if (thrown instanceof ClientIdentifierError) return false
    throw thrown
  }
}
